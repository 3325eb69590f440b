import { findPlace, mount } from '../page/mount.ts';
import { JourneyView } from './journey-view.tsx';
import './journey.css';

mount('journey', <JourneyView reference={findPlace('journey').dataset.ref ?? ''} />);
