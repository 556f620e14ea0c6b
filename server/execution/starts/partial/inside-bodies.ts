import type { Decision, Earlier, Plan, Step, Wanted } from '#engine';
import { decide, isLoop, type OneRound, unaskedWrites } from '#engine/workbench';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { PartialWish } from './partial-run.ts';

/** The outputs of an earlier run in one round. */
export type InRound = (place: string) => ReadonlyMap<string, Earlier>;

interface Inside {
  /** The steps around the wanted node, outermost first. */
  readonly around: readonly Step[];
  readonly wish: PartialWish;
  readonly wanted: Wanted;
  readonly inRound: InRound;
}

interface DecidedInside {
  readonly decisions: readonly Decision[];
  readonly rounds: ReadonlyMap<string, OneRound>;
  readonly earlier: ReadonlyMap<string, Earlier>;
}

/**
 * What happens to the nodes of the bodies around the wanted node: one round runs, the first one unless another is asked for. In it the
 * node alone is executed, or with `from` the node and what depends on it in the same body.
 */
export function decideInside({ around, wish, wanted, inRound }: Inside): DecidedInside {
  const asked = roundsAsked(around, wish);
  const decisions: Decision[] = [];
  const rounds = new Map<string, OneRound>();
  const known = new Map<string, Earlier>();
  let place = '';
  for (const [depth, container] of around.entries()) {
    if (container.each)
      throw refusal(
        wish.only === undefined ? 'from' : 'only',
        `${container.id} runs for each item; run it as a whole.`,
      );
    const plan = container.body?.plan as Plan;
    const round = asked.get(container.id) ?? 0;
    place = [...(place === '' ? [] : [place]), `${container.id}#${round}`].join('/');
    const earlier = inRound(place);
    rounds.set(container.id, { round, start: startOf(earlier, plan) });
    const next = around[depth + 1]?.id;
    const { only, from } = next === undefined ? wish : { only: next, from: undefined };
    const reusable = new Map(
      [...earlier].map(([node, it]) => [node, 'lack' in it ? it.lack : (true as const)]),
    );
    const inner: Wanted = { ...wanted, only, from, altered: new Map(), edited: new Set(), earlier: reusable };
    const decided = decide(plan, inner);
    checkWrites(unaskedWrites(plan, inner, decided), plan, wish);
    decisions.push(...decided.filter(({ node }) => node !== plan.trigger));
    for (const [node, it] of earlier) if (node !== plan.trigger) known.set(node, it);
  }
  return { decisions, rounds, earlier: known };
}

/** What the round started with. */
function startOf(earlier: ReadonlyMap<string, Earlier>, plan: Plan): OneRound['start'] {
  const start = earlier.get(plan.trigger);
  return start && 'outputs' in start ? { value: Object.values(start.outputs)[0] } : undefined;
}

/** By container, the number of the round. */
function roundsAsked(around: readonly Step[], { round, ...wish }: PartialWish): ReadonlyMap<string, number> {
  if (round === undefined) return new Map();
  const node = wish.only ?? wish.from;
  if (around.length === 0)
    throw refusal('round', `${node ?? 'The flow'} is in no body, so it has no rounds.`);
  if (typeof round === 'number') {
    const loop = around.findLast(isLoop);
    if (!loop) throw refusal('round', `No loop is around ${node}, so it runs once.`);
    return new Map([[loop.id, round]]);
  }
  const places = round.split('/').map((part) => part.split('#') as [string, string]);
  const wrong = places.find(([name]) => !around.some(({ id }) => id === name));
  if (wrong) throw refusal('round', `${node} is in no body of ${wrong[0]}.`);
  return new Map(places.map(([name, number]) => [name, Number(number)]));
}

/** Throws `writes_need_yes` for nodes that change something outside, were not requested, and are not in `allowWrites`. */
export function checkWrites(
  writes: readonly Decision[],
  plan: Plan,
  { allowWrites = [] }: Pick<PartialWish, 'allowWrites'>,
): void {
  const unasked = writes.filter(({ node }) => !allowWrites.includes(node));
  if (unasked.length === 0) return;
  const operators = new Map(plan.steps.map(({ id, type }) => [id, type]));
  const names = unasked
    .slice(0, 10)
    .map(({ node }) => node)
    .join(', ');
  throw new ServiceError(
    'writes_need_yes',
    `This run would also execute ${names}${unasked.length > 10 ? ', …' : ''}, which changes something outside. Repeat it with these nodes in \`allowWrites\` if that is intended, or pin their outputs.`,
    { detail: unasked.map(({ node, reason }) => ({ node, operator: operators.get(node), reason })) },
  );
}

export function refusal(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param });
}
