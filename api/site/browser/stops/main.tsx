import { findPlace, mount } from '../page/mount.ts';
import { StopBoard } from './stop-board.tsx';
import { StopFinder } from './stop-finder.tsx';
import './stops.css';

const stopId = findPlace('board').dataset.stop;
mount('board', stopId ? <StopBoard id={stopId} /> : <StopFinder />);
