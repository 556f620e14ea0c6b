import { enableCompileCache } from 'node:module';
import { watchMemory } from './watch.js';

// Argument: the most memory in MB that this process may use.
watchMemory(Number(process.argv[2]));
enableCompileCache();
await import('./reader.ts');
