import { z } from 'zod';

/** An origin, as a site's address begins. */
const origin = z
  .string()
  .max(300)
  .regex(
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/,
    'must be an origin like https://example.com, without a path',
  )
  .meta({ says: 'write an origin such as https://example.com, without a path' });

/** The public chat page of an app. */
export const PublicPage = z.strictObject({
  open: z.boolean().describe('Whether anyone who has the address may chat with the app.'),
  greeting: z.string().max(2000).default('').describe('The greeting of the page, in Markdown.'),
  perMinute: z
    .int()
    .min(1)
    .max(1000)
    .default(20)
    .describe('How many messages a minute the page takes from one address.'),
  perDay: z
    .int()
    .min(1)
    .max(100_000)
    .default(2000)
    .describe('How many messages a day the page takes from all addresses together.'),
  files: z.boolean().default(false).describe('Whether messages may have files.'),
  origins: z
    .array(origin)
    .max(50)
    .default([])
    .describe('Origins whose pages may show it in a frame, such as https://example.com; others may not.'),
});
export type PublicPage = z.output<typeof PublicPage>;

/** A page that nobody has opened. */
export const CLOSED_PAGE: PublicPage = {
  open: false,
  greeting: '',
  perMinute: 20,
  perDay: 2000,
  files: false,
  origins: [],
};
