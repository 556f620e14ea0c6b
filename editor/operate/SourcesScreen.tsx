import { useQuery } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import type { Source } from '#shared/package-api.ts';
import { listSources } from '../api/operate.ts';
import { Facts, FlowLink } from '../lists/links.tsx';
import type { ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { NodeName } from '../lists/NodeName.tsx';
import { catalogQuery } from '../session/open-flow.ts';
import { useFlowNames } from '../session/use-flow-names.ts';
import { sourceState } from '../ui/source-state.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Moment } from '../ui/Moment.tsx';

/** Sources fail and recover while somebody looks. */
const LOOK_MS = 5000;

/** The triggers of live flows that listen for something new by themselves: mailboxes, feeds, queues, services. */
export function SourcesScreen() {
  const { data: catalog } = useQuery(catalogQuery);
  const titleOf = (operator: string): string => catalog?.operators[operator]?.title ?? operator;
  return (
    <ListScreen
      list={sourcesOf(useFlowNames(), titleOf)}
      empty={
        <EmptyState
          icon={Radio}
          title="Nothing listens yet"
          steps={[
            'Open a flow and add a trigger that watches something, such as a mailbox or a feed.',
            'Publish the flow. Its source appears here.',
          ]}
        >
          A source starts a live flow for each new item: a mail, an entry of a feed, a message of a queue.
          Here you see whether each one listens, and what failed.
        </EmptyState>
      }
    />
  );
}

type NameOf = (id: string) => string;

function sourcesOf(nameOf: NameOf, titleOf: NameOf): ListDefinition<Source> {
  const stateOf = (source: Source): string => sourceState(source).text;
  return {
    title: 'Sources',
    noun: 'source',
    reads: 'sources',
    load: async () => ({ items: await listSources() }),
    againMs: LOOK_MS,
    idOf: ({ flow, node }) => `${flow} ${node}`,
    nameOf: ({ flow, operator }) => `${titleOf(operator)}, ${nameOf(flow)}`,
    flowOf: ({ flow }) => flow,
    columns: [
      { name: 'Source', className: 'w-56 max-sm:w-auto', text: ({ operator }) => titleOf(operator) },
      {
        name: 'Flow',
        className: 'max-sm:hidden',
        text: ({ flow }) => nameOf(flow),
        cell: ({ flow }) => <FlowLink id={flow} name={nameOf(flow)} />,
      },
      {
        name: 'Last item',
        className: 'w-36 max-md:hidden',
        text: ({ lastItemAt }) => lastItemAt ?? 'none yet',
        cell: ({ lastItemAt }) => <Moment at={lastItemAt} otherwise="none yet" />,
      },
      { name: 'Runs', className: 'w-20 max-lg:hidden', text: ({ started }) => String(started) },
      { name: 'State', className: 'w-44', text: stateOf, cell: (source) => <State source={source} /> },
    ],
    filters: [
      { name: 'State', of: stateOf },
      { name: 'Source', of: ({ operator }) => titleOf(operator) },
    ],
    details: (source) => <Details source={source} />,
  };
}

function State({ source }: { source: Source }) {
  const { tone, icon, text } = sourceState(source);
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

function Details({ source }: { source: Source }) {
  const { flow, node, since, lastLookAt, lastItemAt, started, failures, problem, nextTryAt } = source;
  const timeOf = (at: string | undefined): string =>
    at === undefined ? 'none since it began to listen' : new Date(at).toLocaleString();
  return (
    <>
      {problem && (
        <p className="mt-3 wrap-anywhere text-bad">
          {failures > 1 && `${failures} times in a row: `}
          {problem.message} <code className="font-mono text-xs">{problem.code}</code>
        </p>
      )}
      <Facts
        facts={{
          Node: <NodeName flow={flow} node={node} />,
          ...(since !== undefined && { 'Listens since': timeOf(since) }),
          ...(nextTryAt !== undefined && { 'Next attempt': timeOf(nextTryAt) }),
          'Last success': timeOf(lastLookAt),
          'Last item': timeOf(lastItemAt),
          'Runs started': String(started),
        }}
      />
    </>
  );
}
