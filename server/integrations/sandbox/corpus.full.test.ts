import { corpus } from './corpus/index.ts';
import { sandboxContract } from './corpus.contract.ts';

sandboxContract(['isolated-vm', 'here'], corpus);
sandboxContract(['quickjs', 'here'], corpus);
sandboxContract(['isolated-vm', 'apart'], corpus);
sandboxContract(['quickjs', 'apart'], corpus);
