// Here with all its random cases, see `test/support/share-of-runs.ts`.
import './changes.property.test.ts';
