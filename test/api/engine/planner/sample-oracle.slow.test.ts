// Here with all its random cases, see `test/support/share-of-runs.ts`.
import './sample-oracle.test.ts';
