import { z } from 'zod';

// Must run before any schema is created: zod would otherwise try to compile schemas with `new Function`, which the content
// security policy refuses and reports.
z.config({ jitless: true });
