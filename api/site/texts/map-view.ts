import { defineTexts } from './languages.ts';

export const mapTexts = defineTexts({
  de: {
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    gestures: {
      control: 'Zum Vergrößern Strg halten und rollen',
      command: 'Zum Vergrößern ⌘ halten und rollen',
      touch: 'Die Karte mit zwei Fingern bewegen',
    },
    failed: 'Dieser Browser kann die Karte nicht zeichnen (WebGL fehlt). Alle Angaben stehen auch als Text da.',
  },
  en: {
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    gestures: {
      control: 'Hold Ctrl and scroll to zoom',
      command: 'Hold ⌘ and scroll to zoom',
      touch: 'Move the map with two fingers',
    },
    failed: 'This browser cannot draw the map (it lacks WebGL). Everything is also given as text.',
  },
});
