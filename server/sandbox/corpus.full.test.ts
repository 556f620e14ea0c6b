import { corpus } from './corpus/index.ts';
import { sandboxContract } from './corpus.contract.ts';

// `corpus.test.ts` has the first of the four places.
sandboxContract(['quickjs', 'here'], corpus);
sandboxContract(['isolated-vm', 'apart'], corpus);
sandboxContract(['quickjs', 'apart'], corpus);
