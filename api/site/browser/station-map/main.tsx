import { mount } from '../page/mount.ts';
import { StationMapPage } from './station-map-page.tsx';
import '../map-view/map-view.css';
import '../charts/totals.css';
import '../map/map.css';
import './station-map.css';

mount('station-map', <StationMapPage />);
