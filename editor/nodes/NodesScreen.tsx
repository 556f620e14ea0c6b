import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import {
  CircleAlert,
  CircleCheck,
  CircleX,
  LoaderCircle,
  LogOut,
  type LucideIcon,
  Server,
} from 'lucide-react';
import { clockText, lacksWorker, mixedFlows, type NodeInfo } from '#shared/node.ts';
import { call } from '../api/client.ts';
import { useServer } from '../session/app-context.tsx';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { agoText, countText } from '../ui/format.ts';
import { type Column, listRow, ListTable } from '../ui/ListTable.tsx';

const listNodes = (): Promise<NodeInfo[]> =>
  call(async () => (await import('../api/service-schemas.ts')).Nodes, 'GET', '/api/v1/nodes');

/** Servers come and go by themselves while somebody looks. */
const AGAIN_MS = 2000;

/** The servers that share the database: which are up, what they run, and what each of them lacks. */
export function NodesScreen() {
  const cluster = useServer((state) => state.session?.cluster === true);
  return cluster ? <Nodes /> : <Alone />;
}

function Nodes() {
  const nodes = useQuery({ queryKey: ['nodes'], queryFn: listNodes, refetchInterval: AGAIN_MS });
  return (
    <HomePage title="Nodes" count={nodes.data && countOf(nodes.data)}>
      <Loaded query={nodes} what="the servers">
        {(all) => (
          <>
            <Mixture all={all} />
            <MixedFlows all={all} />
            <NoWorker all={all} />
            <NodeTable all={all} />
          </>
        )}
      </Loaded>
    </HomePage>
  );
}

function Alone() {
  return (
    <HomePage title="Nodes">
      <EmptyState icon={Server} title="This server is the only one">
        It keeps everything in its data folder. With a PostgreSQL database (<code>WEFT_DATABASE_URL</code>)
        several servers are one service, and are listed here.
      </EmptyState>
    </HomePage>
  );
}

/** `2 servers, 5 processes`; those that have gone do not count. */
function countOf(all: readonly NodeInfo[]): string {
  const here = all.filter(({ state }) => state !== 'gone');
  const servers = new Set(here.map(serverOf)).size;
  const text = countText(servers, 'server');
  return here.length === servers ? text : `${text}, ${countText(here.length, 'process', 'processes')}`;
}

/** The same for all processes that one command has started. */
function serverOf({ name, id, process: one }: NodeInfo): string {
  return one === undefined ? id : `${hostOf(name)}/${one.server}`;
}

/** Names are `<host>/<process>`. */
function hostOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/'));
}

function Mixture({ all }: { all: readonly NodeInfo[] }) {
  const versions = [
    ...new Set(all.filter(({ state }) => state !== 'gone').map(({ version }) => version)),
  ].sort();
  if (versions.length < 2) return null;
  return (
    <Warning>
      Servers of {versions.length} versions are up: {versions.join(', ')}. During a deploy that is as it
      should be; afterwards, replace the older ones.
    </Warning>
  );
}

function MixedFlows({ all }: { all: readonly NodeInfo[] }) {
  const mixed = mixedFlows(all);
  if (mixed === undefined) return null;
  return <Warning>{mixed} During a deploy that is as it should be.</Warning>;
}

function NoWorker({ all }: { all: readonly NodeInfo[] }) {
  const lack = lacksWorker(all);
  return lack === undefined ? null : <Warning>{lack}</Warning>;
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p
      role="status"
      className="flex items-start gap-2 rounded-lg border border-line bg-warn-soft px-3 py-2 text-warn"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>{children}</span>
    </p>
  );
}

const COLUMNS: readonly Column[] = [
  { name: 'Server' },
  { name: 'State', className: 'w-24 sm:w-28' },
  { name: 'Version', className: 'w-20 sm:w-28' },
  { name: 'Changes', className: 'w-32 max-md:hidden' },
  { name: 'Since', className: 'w-32 max-sm:hidden' },
];

function NodeTable({ all }: { all: readonly NodeInfo[] }) {
  const place = (node: NodeInfo): string =>
    `${serverOf(node)} ${String(node.process?.number ?? 0).padStart(4, '0')}`;
  const sorted = all.toSorted((a, b) => place(a).localeCompare(place(b)));
  return (
    <ListTable columns={COLUMNS} caption="Servers">
      <tbody>
        {sorted.map((node) => (
          <NodeRow key={node.id} node={node} />
        ))}
      </tbody>
    </ListTable>
  );
}

const STATES: Readonly<
  Record<NodeInfo['state'], { readonly tone: Tone; readonly icon: LucideIcon; readonly says: string }>
> = {
  up: { tone: 'ok', icon: CircleCheck, says: 'Ready' },
  starting: { tone: 'busy', icon: LoaderCircle, says: 'Starting' },
  leaving: {
    tone: 'warn',
    icon: LogOut,
    says: 'It is stopping: requests in progress end, new ones go to others.',
  },
  gone: { tone: 'bad', icon: CircleX, says: 'It was not seen for ten seconds.' },
};

const ROLES = {
  web: 'It answers requests, and leaves durable runs, schedules, sources and notices to others.',
  worker: 'It executes durable runs, schedules, sources and notices.',
} as const;

function NodeRow({ node }: { node: NodeInfo }) {
  const { name, state, role, url, version, startedAt, seenAt, process: one, self } = node;
  const { tone, icon, says } = STATES[state];
  const pid = name.slice(name.lastIndexOf('/') + 1);
  const now = Date.now();
  return (
    <tr className={listRow}>
      <td>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="truncate font-semibold" title={name}>
            {hostOf(name)}
          </span>
          {role !== 'all' && <Badge title={ROLES[role]}>{role}</Badge>}
          {self && <Badge title="The one that answers this page.">answers</Badge>}
        </p>
        {url !== undefined && <p className="text-xs break-words text-text-2">{url}</p>}
        <p className="text-xs text-text-2">
          {one === undefined ? `process ${pid}` : `process ${one.number} of ${one.of} (${pid})`}
        </p>
        <Flows node={node} />
        {state !== 'gone' && <Faults node={node} />}
      </td>
      <td>
        <Badge tone={tone} icon={icon} title={says}>
          {state}
        </Badge>
      </td>
      <td className="truncate text-xs" title={version}>
        {version}
      </td>
      <td className="text-xs text-text-2 max-md:hidden">
        <Behind node={node} />
      </td>
      <td className="text-xs text-text-2 max-sm:hidden">
        <time
          dateTime={new Date(startedAt).toISOString()}
          title={`Started ${new Date(startedAt).toLocaleString()}, last seen ${new Date(seenAt).toLocaleString()}`}
        >
          {agoText(startedAt, now)}
        </time>
      </td>
    </tr>
  );
}

function Faults({ node }: { node: NodeInfo }) {
  const { unserved = [], unreachable = [] } = node;
  const clock = clockText(node);
  return (
    <>
      {unserved.map(({ flow, operators }) => (
        <Fault key={`flow ${flow}`}>
          Does not serve <b>{flow}</b>: it lacks {operators.join(', ')}
        </Fault>
      ))}
      {unreachable.map((name) => (
        <Fault key={`server ${name}`}>
          Cannot reach <b>{name}</b> at its address
        </Fault>
      ))}
      {clock !== undefined && <Fault>Check the time: {clock}</Fault>}
    </>
  );
}

/** Nothing of flows in the database, which are the same for all. */
function Flows({ node: { flows, state } }: { node: NodeInfo }) {
  if (flows === undefined || flows.from === 'database' || state === 'gone') return null;
  const { from, contents, at, problem } = flows;
  const which = (contents ?? at)?.slice(0, 12);
  return (
    <>
      <p className="text-xs text-text-2">
        flows from {from} {which !== undefined && <code>{which}</code>}
      </p>
      {problem && (
        <Fault>
          <b>{problem.code}</b>: {problem.message}
        </Fault>
      )}
    </>
  );
}

function Fault({ children }: { children: ReactNode }) {
  return (
    <p className="mt-1 flex items-start gap-1 text-xs break-words text-warn">
      <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}

function Behind({ node: { behind, state } }: { node: NodeInfo }) {
  if (state === 'gone') return '–';
  if (behind === 0) return 'up to date';
  return <Badge tone="warn">{`${countText(behind, 'change')} behind`}</Badge>;
}
