// Here with all its random cases, see `test/support/share-of-runs.ts`.
import './counted-calls.test.ts';
