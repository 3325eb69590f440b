// Here with all its random cases, see `test/support/share-of-runs.ts`.
import './marts.property.test.ts';
