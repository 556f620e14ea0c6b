import { z } from 'zod';

// Before any schema is made: zod would otherwise try to compile schemas with `new Function`, which the content security
// policy refuses and reports.
z.config({ jitless: true });
