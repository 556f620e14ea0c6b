import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';

/** A param that names a secret; the flow never contains the secret itself. */
export const secretReference = z
  .strictObject({ $secret: z.string().regex(ID_PATTERN).describe('The name of the secret.') })
  .meta({ widget: 'secret' });
