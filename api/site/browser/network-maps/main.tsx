import { mount } from '../page/mount.ts';
import { MapTools } from './map-tools.tsx';
import './network-maps.css';

// The list of maps needs no script; a single map has a view that can be zoomed.
const view = document.getElementById('map-view');
const picture = view?.querySelector('img');
if (view && picture) mount('map-tools', <MapTools view={view} picture={picture} />);
