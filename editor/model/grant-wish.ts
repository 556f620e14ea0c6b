import type { ConnectionGrants } from '#shared/connection.ts';
import { grantFor, maySendTo, type SecretGrants } from '#shared/secret.ts';

/** Who wants to use a secret or a connection. */
export interface GrantWish {
  readonly flow: string;
  readonly operator: string;
  /** Where a secret would be sent, if that is known: `https://api.example.com`. */
  readonly origin?: string | undefined;
}

/** The grants of a secret with what a use lacks, and nothing more. */
export function secretGrantsWith(grants: SecretGrants, { flow, operator, origin }: GrantWish): SecretGrants {
  const isNobody = !grants.flows && !grants.operators && !grants.hosts;
  const hosts =
    origin !== undefined && (isNobody || (grants.hosts && !maySendTo(grants.hosts, origin)))
      ? [...(grants.hosts ?? []), grantFor(origin)]
      : grants.hosts;
  return {
    ...listsWith(grants, isNobody, { flow, operator }),
    ...(hosts && { hosts }),
  };
}

export function connectionGrantsWith(grants: ConnectionGrants, wish: GrantWish): ConnectionGrants {
  const isNobody = !grants.flows && !grants.operators;
  return { ...grants, ...listsWith(grants, isNobody, wish) };
}

/** A list that is there names all who may, so it gets who wants to; without any list nobody may. */
function listsWith(
  { flows, operators }: Pick<ConnectionGrants, 'flows' | 'operators'>,
  isNobody: boolean,
  { flow, operator }: GrantWish,
): Pick<ConnectionGrants, 'flows' | 'operators'> {
  const more = (list: readonly string[] | undefined, name: string): string[] | undefined =>
    list || isNobody ? [...new Set([...(list ?? []), name])] : undefined;
  const [allFlows, allOperators] = [more(flows, flow), more(operators, operator)];
  return { ...(allFlows && { flows: allFlows }), ...(allOperators && { operators: allOperators }) };
}
