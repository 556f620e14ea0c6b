import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { literal } from '../../base/operator.ts';

/** The connection by its name. It is fixed, so that it is known before a run who uses what. */
export const smtpParam = literal(
  z
    .string()
    .regex(ID_PATTERN)
    .describe('The name of a connection to a mail server (SMTP).')
    .meta({ widget: 'connection', kinds: ['smtp'] }),
);

export const addressesParam = z.union([z.string().max(20_000), z.array(z.string().max(1000)).max(500)]);

/** A text may hold several addresses, separated by commas. */
export function addressesOf(given: string | readonly string[] | undefined): readonly string[] {
  if (given === undefined || given === '') return [];
  return typeof given === 'string' ? [given] : given;
}
