import { mount } from '../page/mount.ts';
import { MapPage } from './map-page.tsx';
import '../map-view/map-view.css';
import './map.css';

mount('map', <MapPage />);
