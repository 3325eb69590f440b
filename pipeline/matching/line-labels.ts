/** What some publishers put before the label proper: `Bus 13A`, `Straßenbahn 5`. */
const KIND_OF_LINE = /^(?:autobus|bus|straßenbahn|strassenbahn|tram|str|linie|line|u-bahn|s-bahn|zug)\.?\s+(?=\S)/i;

/** A kind of train and its number: `RJX 162`. */
const TRAIN = /^([A-Z]{2,})(\d{2,})$/;

/** A line as riders read it, in the one form that labels are compared in: ` U 1` and `u1` are `U1`. */
export function normaliseLabel(label: string): string {
  return label.toUpperCase().replace(/\s+/g, '');
}

/** A label as it may stand in the timetable. */
export interface LabelForm {
  readonly label: string;
  /** Number of the train, where it was cut off the label. */
  readonly trainNumber: string | null;
}

/** The forms of a label that are worth looking for, likeliest first. */
export function listLabelForms(label: string): readonly LabelForm[] {
  const whole = normaliseLabel(label);
  const bare = normaliseLabel(label.trim().replace(KIND_OF_LINE, ''));
  const train = TRAIN.exec(whole);
  return [
    { label: whole, trainNumber: null },
    ...(bare !== whole && bare !== '' ? [{ label: bare, trainNumber: null }] : []),
    // Timetables name many trains by their kind alone and have the number as trip_short_name.
    ...(train ? [{ label: train[1]!, trainNumber: train[2]! }] : []),
  ];
}
