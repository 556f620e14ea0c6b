import { createHmac, randomBytes } from 'node:crypto';
import { equalSecrets } from '../../access/security/secrets.ts';
import type { ServerKey } from '../../access/security/server-key.ts';
import type { Form } from './form.ts';
import type { Sent } from './form-body.ts';
import { ONCE } from './form-html.ts';

/** The parts that make and check the marks of forms. */
export interface OnceDeps {
  readonly formKey: ServerKey;
}

/** Characters of the random half of a mark, and of its proof: 16 bytes each. */
const HALF = 22;

/**
 * A mark for one page of a form, shared by all copies of a form sent from there. Only the server can make one: with a mark of
 * their own choice two visitors could send the same, and the second would get the answer to the first one.
 */
export async function freshOnce({ formKey }: OnceDeps, form: Form): Promise<string> {
  const random = randomBytes(16).toString('base64url');
  return random + proofOf(await formKey.get(), form, random);
}

/** The mark with which a form was sent; undefined if this server did not make it for that form. */
export async function onceOf(
  { formKey }: OnceDeps,
  form: Form,
  typed: Sent['typed'],
): Promise<string | undefined> {
  const once = typed[ONCE] ?? '';
  const key = once.length === 2 * HALF ? await formKey.find() : undefined;
  const random = once.slice(0, HALF);
  return key !== undefined && equalSecrets(once.slice(HALF), proofOf(key, form, random)) ? once : undefined;
}

function proofOf(key: Uint8Array, { route: { flow, node } }: Form, random: string): string {
  const proof = createHmac('sha256', key).update(`form ${flow.id} ${node} ${random}`);
  return proof.digest().subarray(0, 16).toString('base64url');
}
