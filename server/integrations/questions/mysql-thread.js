import { enableCompileCache } from 'node:module';

// A thread has a cache of its own to switch on.
enableCompileCache();
await import('./mysql-worker.ts');
