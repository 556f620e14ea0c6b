import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./host.ts');
