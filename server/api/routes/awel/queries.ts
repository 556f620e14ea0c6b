import { z } from 'zod';

// Query parameters of DB-GPT's flows API.

export const listQuery = () =>
  z.object({
    page: z.coerce.number().int().min(1).default(1),
    page_size: z.coerce.number().int().min(1).max(100).default(20),
    name: z.string().optional().describe('Only the flow with exactly this name, which is its id.'),
    uid: z.string().optional(),
    user_name: z
      .string()
      .optional()
      .describe('Only flows of exactly this owner; an empty text means no owner.'),
    sys_code: z
      .string()
      .optional()
      .describe('Only flows of exactly this system; an empty text means no system.'),
  });
export type ListQuery = z.infer<ReturnType<typeof listQuery>>;

const open_triggers = () =>
  z
    .stringbool()
    .default(false)
    .describe('Whether triggers that anyone may call stay open to all; otherwise they require an API key.');
export const writeQuery = () => z.object({ open_triggers: open_triggers() });

export const importQuery = () =>
  z.object({
    save_flow: z
      .stringbool()
      .default(false)
      .describe('Whether to save the flow as a draft; otherwise the answer only previews it.'),
    open_triggers: open_triggers(),
  });
export type ImportQuery = z.infer<ReturnType<typeof importQuery>>;

export const exportQuery = () =>
  z.object({
    export_type: z.string().default('json'),
    format: z.enum(['file', 'json']).default('file'),
    file_name: z.string().max(200).optional(),
  });
export type ExportQuery = z.infer<ReturnType<typeof exportQuery>>;
