import { z } from 'zod';

/**
 * Who may use a secret. A list that is there names all who may; one that is not does not restrict. Without any list nobody
 * may. Grants are kept with the secret, never in a flow, so that an imported flow cannot help itself.
 */
export const SecretGrants = z.strictObject({
  /** Types of operators, such as `http.request`. */
  operators: z.array(z.string().min(1)).optional(),
  /** Where it may be sent: `api.example.com`, or `*.example.com` for all names below. */
  hosts: z.array(z.string().min(1)).optional(),
  /** Ids of flows. */
  flows: z.array(z.string().min(1)).optional(),
});
export type SecretGrants = z.infer<typeof SecretGrants>;

/** One use of a secret. Without `host` it is not known where it will go. */
export interface SecretUse {
  readonly flow: string;
  readonly operator: string;
  readonly host?: string | undefined;
}

/** What the grants lack for a use, to follow "is not granted": "to the operator code.run"; undefined when they allow it. */
export function lackingGrant(grants: SecretGrants, { flow, operator, host }: SecretUse): string | undefined {
  const { operators, hosts, flows } = grants;
  if (operators === undefined && hosts === undefined && flows === undefined) return 'to anyone';
  if (flows && !flows.includes(flow)) return `to the flow ${flow}`;
  if (operators && !operators.includes(operator)) return `to the operator ${operator}`;
  if (!hosts) return undefined;
  if (host === undefined) return 'for a use that may send it anywhere';
  return hosts.some((pattern) => matchesHost(pattern, host)) ? undefined : `for the host ${host}`;
}

function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase();
  const name = host.toLowerCase();
  return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
}
