import { defineTexts } from './languages.ts';

export const mapTexts = defineTexts({
  de: {
    zoomIn: 'Vergrößern',
    zoomOut: 'Verkleinern',
    gestures: {
      control: 'Zum Zoomen Strg gedrückt halten und scrollen',
      command: 'Zum Zoomen ⌘ gedrückt halten und scrollen',
      touch: 'Die Karte mit zwei Fingern bewegen',
    },
    failed: 'Dieser Browser kann die Karte nicht darstellen (WebGL fehlt). Alle Angaben gibt es auch als Text.',
  },
  en: {
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    gestures: {
      control: 'Hold Ctrl and scroll to zoom',
      command: 'Hold ⌘ and scroll to zoom',
      touch: 'Move the map with two fingers',
    },
    failed: 'This browser cannot show the map because it lacks WebGL. Everything is also available as text.',
  },
});
