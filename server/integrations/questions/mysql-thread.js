import { enableCompileCache } from 'node:module';

// Each thread enables its own compile cache.
enableCompileCache();
await import('./mysql-worker.ts');
