import { MailX, RotateCw, Trash2 } from 'lucide-react';
import type { DeadLetter, Retried } from '#shared/calls-api.ts';
import { dropDeadLetters, listDeadLetters, retryDeadLetters } from '../api/operate.ts';
import { Facts, FlowLink, RunLink } from '../lists/links.tsx';
import type { Hands, ListColumn, ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { NodeName } from '../lists/NodeName.tsx';
import { useFlowNames } from '../session/use-flow-names.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { Moment } from '../ui/Moment.tsx';

/** Durable runs that failed for good: retried or dropped, one by one or several at once. */
export function DeadLettersScreen() {
  return (
    <ListScreen
      list={lettersOf(useFlowNames())}
      empty={
        <EmptyState icon={MailX} title="No dead letters" steps={[]}>
          A durable run that fails after its last retry is kept here with its input. You can retry it from the
          failed step, with the version that failed or with the live one, or drop it.
        </EmptyState>
      }
    />
  );
}

function lettersOf(nameOf: (flow: string) => string): ListDefinition<DeadLetter> {
  return {
    title: 'Dead letters',
    noun: 'dead letter',
    reads: 'dead-letters',
    load: async (before) => {
      const { deadLetters, next } = await listDeadLetters(before);
      return { items: deadLetters, next };
    },
    idOf: ({ run }) => run,
    nameOf: ({ flow, failedAt }) => `${nameOf(flow)}, ${new Date(failedAt).toLocaleString()}`,
    flowOf: ({ flow }) => flow,
    columns: columnsOf(nameOf),
    filters: [
      { name: 'Flow', of: ({ flow }) => nameOf(flow) },
      { name: 'Code', of: ({ error }) => error.code },
    ],
    entries: (letter, hands) => [
      { id: 'retry', label: 'Retry', icon: RotateCw, onSelect: () => retry([letter], 'same', hands) },
      {
        id: 'retry-live',
        label: 'Retry with the live version',
        icon: RotateCw,
        onSelect: () => retry([letter], 'live', hands),
      },
      { id: 'separator', separator: true },
      { id: 'drop', label: 'Drop…', icon: Trash2, danger: true, onSelect: () => drop([letter], hands) },
    ],
    bulk: [
      { label: 'Retry', run: (all, hands) => retry(all, 'same', hands) },
      { label: 'Retry with the live version', run: (all, hands) => retry(all, 'live', hands) },
      { label: 'Drop…', isDanger: true, run: drop },
    ],
    details: (letter) => <Details letter={letter} />,
  };
}

const columnsOf = (nameOf: (flow: string) => string): readonly ListColumn<DeadLetter>[] => [
  { name: 'Error', text: ({ error }) => `${error.code}: ${error.message}` },
  {
    name: 'Flow',
    className: 'w-44 max-sm:hidden',
    text: ({ flow }) => nameOf(flow),
    cell: ({ flow }) => <FlowLink id={flow} name={nameOf(flow)} />,
  },
  {
    name: 'Run',
    className: 'w-48 max-2xl:hidden',
    text: ({ run }) => run,
    cell: ({ run }) => <RunLink id={run} />,
  },
  {
    name: 'Failed',
    className: 'w-32 max-md:hidden',
    text: ({ failedAt }) => new Date(failedAt).toISOString(),
    cell: ({ failedAt }) => <Moment at={failedAt} />,
  },
];

function Details({ letter: { run, flow, error, version, trigger, startedAt } }: { letter: DeadLetter }) {
  return (
    <>
      <p className="mt-3 wrap-anywhere">
        <bdi>{error.message}</bdi>
      </p>
      <Facts
        facts={{
          Code: error.code,
          ...(error.node !== undefined && { Node: <NodeName flow={flow} node={error.node} /> }),
          Trigger: <NodeName flow={flow} node={trigger} />,
          Version: version,
          Started: new Date(startedAt).toLocaleString(),
        }}
      />
      <div className="mt-3">
        <RunLink id={run} />
      </div>
    </>
  );
}

function retry(letters: readonly DeadLetter[], version: 'same' | 'live', hands: Hands): void {
  hands.act(async () => refuse(await retryDeadLetters(runsOf(letters), version)), 'The runs go on.');
}

/** Some may go on while others are refused: those are told. */
function refuse({ retried, failed }: Retried): void {
  const [first] = failed;
  if (first === undefined) return;
  const others = failed.length > 1 ? ` (and ${countText(failed.length - 1, 'other')})` : '';
  throw new Error(`${countText(retried.length, 'run')} retried. ${first.run}: ${first.message}${others}`);
}

function drop(letters: readonly DeadLetter[], hands: Hands): void {
  hands.ask({
    title: `Drop ${countText(letters.length, 'dead letter')}?`,
    description: 'They can no longer be retried. Their runs stay in the history.',
    action: 'Drop',
    work: () => dropDeadLetters(runsOf(letters)),
  });
}

const runsOf = (letters: readonly DeadLetter[]): string[] => letters.map(({ run }) => run);
