import type { WaitInfo, WaitStatus } from '#shared/wait.ts';
import { decideWait, listWaits } from '../api/waits.ts';
import { Facts, FlowLink, RunLink } from '../lists/links.tsx';
import type { BulkAct, Hands, ListColumn, ListDefinition } from '../lists/list-model.ts';
import { NodeName } from '../lists/NodeName.tsx';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { Moment } from '../ui/Moment.tsx';
import { endWords, expiryWords } from './wait-labels.ts';

const LOOK_MS = 5000;

interface WaitListOptions {
  readonly status: WaitStatus;
  nameOf(flow: string): string;
  onDecide(wait: WaitInfo): void;
}

/** The questions of one status, as a list: open ones with their answer in place, others with how they ended. */
export function waitList({ status, nameOf, onDecide }: WaitListOptions): ListDefinition<WaitInfo> {
  const isOpen = status === 'open';
  return {
    title: 'Waiting',
    noun: 'question',
    reads: isOpen ? 'waits' : `waits ${status}`,
    load: async (after) => {
      const { waits, next } = await listWaits(status, after);
      return { items: waits, next };
    },
    againMs: LOOK_MS,
    idOf: ({ id }) => id,
    nameOf: ({ title }) => title,
    flowOf: ({ flow }) => flow,
    columns: [
      { name: 'Question', text: ({ title }) => title },
      {
        name: 'Flow',
        className: 'w-44 max-md:hidden',
        text: ({ flow }) => nameOf(flow),
        cell: ({ flow }) => <FlowLink id={flow} name={nameOf(flow)} />,
      },
      { name: 'Assigned to', className: 'w-36 max-lg:hidden', text: ({ ask }) => ask.who ?? '—' },
      {
        name: 'Asked',
        className: 'w-30 max-sm:hidden',
        text: ({ openedAt }) => openedAt,
        cell: ({ openedAt }) => <Moment at={openedAt} />,
      },
      ...(isOpen ? openColumns(onDecide) : [ENDED]),
    ],
    filters: [
      { name: 'Flow', of: ({ flow }) => nameOf(flow) },
      { name: 'Assigned to', of: ({ ask }) => ask.who ?? '—' },
    ],
    ...(isOpen && { bulk: BULK }),
    details: (wait) => <Details wait={wait} />,
  };
}

const openColumns = (onDecide: (wait: WaitInfo) => void): ListColumn<WaitInfo>[] => [
  {
    name: 'Time left',
    className: 'w-30 max-md:hidden',
    text: (wait) => expiryWords(wait, Date.now()) ?? 'No deadline',
  },
  {
    name: 'Answer',
    className: 'w-28',
    text: () => '',
    cell: (wait) => {
      const isForm = wait.ask.kind === 'form';
      return (
        <Button
          aria-label={isForm ? `Fill in: ${wait.title}` : `Decide: ${wait.title}`}
          onClick={() => onDecide(wait)}
        >
          {isForm ? 'Fill in…' : 'Decide…'}
        </Button>
      );
    },
  },
];

const ENDED: ListColumn<WaitInfo> = {
  name: 'Ended',
  className: 'w-72 max-sm:w-36',
  text: (wait) => endWords(wait, Date.now()) ?? '',
};

/** Forms need an answer each, so that only approvals are decided together. */
const BULK: readonly BulkAct<WaitInfo>[] = [
  { label: 'Approve…', run: (waits, hands) => decideAll(waits, 'approved', hands) },
  { label: 'Reject…', isDanger: true, run: (waits, hands) => decideAll(waits, 'rejected', hands) },
];

function decideAll(waits: readonly WaitInfo[], decision: 'approved' | 'rejected', hands: Hands): void {
  const fitting = waits.filter(({ ask }) => ask.kind !== 'form');
  const verb = decision === 'approved' ? 'Approve' : 'Reject';
  const left = waits.length - fitting.length;
  hands.ask({
    title: `${verb} ${countText(fitting.length, 'question')}?`,
    description: `Their runs go on with this decision, and it cannot be taken back.${
      left > 0 ? ` ${countText(left, 'form')} among them stay open: each needs its own answer.` : ''
    }`,
    action: verb,
    work: () => decideInTurn(fitting, decision),
  });
}

/** One after the other; those that somebody else was quicker with are told at the end. */
async function decideInTurn(waits: readonly WaitInfo[], decision: 'approved' | 'rejected'): Promise<void> {
  const refused: string[] = [];
  for (const { id, title } of waits) {
    try {
      await decideWait(id, { decision, comment: '' });
    } catch (error) {
      refused.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (refused.length > 0)
    throw new Error(`${countText(waits.length - refused.length, 'question')} decided. ${refused.join(' ')}`);
}

function Details({ wait }: { wait: WaitInfo }) {
  const { ask, run, flow, node, openedAt, expiresAt, decision } = wait;
  const timeOf = (at: string): string => new Date(at).toLocaleString();
  return (
    <>
      {ask.text !== undefined && <p className="mt-3 wrap-anywhere whitespace-pre-wrap">{ask.text}</p>}
      <Facts
        facts={{
          Node: <NodeName flow={flow} node={node} />,
          Asked: timeOf(openedAt),
          ...(ask.who !== undefined && { 'Assigned to': ask.who }),
          ...(expiresAt !== undefined && { Deadline: timeOf(expiresAt) }),
          ...(decision && {
            Decision: decision.decision,
            By: decision.via === 'link' ? `${decision.by} (by link)` : decision.by,
            At: timeOf(decision.at),
            ...(decision.comment !== '' && { Comment: decision.comment }),
            ...(decision.data !== undefined && { Answer: decision.data }),
          }),
          ...(ask.data !== undefined && { Data: ask.data }),
        }}
      />
      <div className="mt-3">
        <RunLink id={run} />
      </div>
    </>
  );
}
