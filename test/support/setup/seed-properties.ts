import fc from 'fast-check';

// Everybody's run asks the same questions, so that a change fails for what it did and for nothing else. Whoever hunts
// sets another seed: PROPERTY_SEED=42 that one, PROPERTY_SEED=random a new one with every run.
const { PROPERTY_SEED: requested = '1' } = process.env;
if (requested !== 'random') fc.configureGlobal({ seed: Number(requested) });
