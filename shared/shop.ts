import { z } from 'zod';

/** The small shop: what ships with Weft so that templates run without an account. */

/** What it is called on a server where it is switched on. */
export const SHOP = {
  /** A connection to its database. */
  database: 'shop',
  /** A connection that keeps mails on this server. */
  mail: 'shop_mail',
  /** A connection to its HTTP service, which this server plays. */
  service: 'shop_service',
  /** A knowledge space with its handbook. */
  handbook: 'shop_handbook',
} as const;

export const ShopState = z.object({
  on: z.boolean(),
  here: z
    .boolean()
    .describe('Whether it can be switched on: only where the server does not share a database with others.'),
  service: z
    .string()
    .describe('The address of its HTTP service, which answers requests through its connection alone.'),
  mails: z.int().describe('How many mails are in the mailbox.'),
});
export type ShopState = z.infer<typeof ShopState>;

export const ShopBody = z.strictObject({
  on: z
    .boolean()
    .describe(
      'true makes what is missing; what is there stays. false removes the shop with all that flows have stored in it.',
    ),
});

/** A mail that was kept in place of being sent. */
export const KeptMail = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  from: z.string(),
  to: z.array(z.string()).describe('All who would have got it.'),
  subject: z.string(),
  text: z.string(),
  html: z.string().nullable(),
  attachments: z.array(z.object({ name: z.string(), type: z.string(), bytes: z.int() })),
});
export type KeptMail = z.infer<typeof KeptMail>;
