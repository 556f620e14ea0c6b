import { Link } from '@tanstack/react-router';
import { EllipsisVertical, PencilLine, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type {
  ConnectionAccount,
  ConnectionInfo,
  ConnectionKind,
  ConnectionTest,
} from '#shared/connection.ts';
import { connectionPlace, grantWords, rateWords } from '#shared/connection-labels.ts';
import { testConnection } from '../api/connections.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, ListTable } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';

interface ConnectionTableProps {
  connections: readonly ConnectionInfo[];
  kinds: readonly ConnectionKind[];
  onEdit(connection: ConnectionInfo): void;
  onDelete(connection: ConnectionInfo): void;
}

const COLUMNS: readonly Column[] = [
  { name: 'Name', className: 'w-44 xl:w-72 max-sm:w-auto' },
  { name: 'Target', className: 'w-72 max-md:hidden' },
  { name: 'Who may use it', className: 'max-sm:hidden' },
  { name: 'Used by', className: 'w-48 max-lg:hidden' },
  { name: 'Actions', className: 'w-30', hidden: true },
];

export function ConnectionTable({ connections, kinds, onEdit, onDelete }: ConnectionTableProps) {
  return (
    <ListTable columns={COLUMNS}>
      {connections.map((connection) => (
        <ConnectionRow
          key={connection.name}
          connection={connection}
          kind={kindTitle(kinds, connection)}
          onEdit={() => onEdit(connection)}
          onDelete={() => onDelete(connection)}
        />
      ))}
    </ListTable>
  );
}

interface ConnectionRowProps {
  connection: ConnectionInfo;
  kind: string;
  onEdit(): void;
  onDelete(): void;
}

function ConnectionRow({ connection, kind, onEdit, onDelete }: ConnectionRowProps) {
  const { name, grants, rate, usedBy, broken } = connection;
  const { result, busy, attempt } = useTest(name);
  const who = grantWords(grants);
  return (
    <tbody className="border-b border-line last:border-0 hover:bg-surface-2">
      <tr className="align-top [&>td]:px-3 [&>td]:py-2.5">
        <td>
          <span className="block truncate font-mono font-semibold" title={name}>
            {name}
          </span>
          <span className="text-xs wrap-anywhere text-text-2 sm:hidden">
            {connection.account?.provider ?? kind}; {broken ?? who ?? 'granted to nobody yet'}
            <Account account={connection.account} />
            {rate && `; ${rateWords(rate)}`}
          </span>
        </td>
        <td className="max-md:hidden">
          <LeadsTo connection={connection} kind={kind} />
        </td>
        <td className="wrap-anywhere max-sm:hidden">
          <Users broken={broken} who={who} />
          {rate && <span className="block text-xs text-text-2">{rateWords(rate)}</span>}
        </td>
        <td className="max-lg:hidden">
          <UsedBy flows={usedBy} />
        </td>
        <td className="!py-1.5">
          <span className="flex items-center justify-end gap-1">
            <Button size="sm" busy={busy} aria-label={`Test ${name}`} onClick={() => void attempt()}>
              Test
            </Button>
            <Menu
              trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
              entries={[
                {
                  id: 'edit',
                  label: connection.account ? 'Change or reconnect…' : 'Change…',
                  icon: PencilLine,
                  onSelect: onEdit,
                },
                { id: 'separator', separator: true },
                { id: 'delete', label: 'Delete…', icon: Trash2, danger: true, onSelect: onDelete },
              ]}
            />
          </span>
        </td>
      </tr>
      {result && <TestRow result={result} />}
    </tbody>
  );
}

function LeadsTo({ connection, kind }: Pick<ConnectionRowProps, 'connection' | 'kind'>) {
  const { account, broken } = connection;
  if (account && broken === undefined)
    return (
      <>
        {account.provider}
        <Account account={account} />
      </>
    );
  const place = connectionPlace(connection);
  return (
    <>
      {kind}
      <span className="block truncate font-mono text-xs text-text-2" title={place}>
        {place}
      </span>
    </>
  );
}

function Users({ broken, who }: { broken: string | undefined; who: string | undefined }) {
  if (broken !== undefined) return <span className="text-bad">{broken} Save it again.</span>;
  return who ?? <Badge tone="warn">nobody yet</Badge>;
}

/** Who signed in, and what may be done with it. */
function Account({ account }: { account: ConnectionAccount | undefined }) {
  if (account === undefined) return null;
  const { state, name, may, lacking, problem } = account;
  const who = name === undefined ? '' : ` as ${name}`;
  return (
    <span className="flex flex-col items-start gap-1 text-xs text-text-2">
      {state === 'none' && <Badge tone="warn">not connected</Badge>}
      {state === 'lost' && <Badge tone="bad">reconnect</Badge>}
      {state === 'connected' && <span className="text-ok">connected{who}</span>}
      {state === 'own' && <span>signs in by itself{who}</span>}
      {problem !== undefined && <span className="wrap-anywhere text-bad">{problem}</span>}
      {may.length > 0 && <span className="wrap-anywhere">{may.join(', ')}</span>}
      {lacking.length > 0 && (
        <span className="wrap-anywhere text-warn">
          Not granted: {lacking.join(', ')}. Reconnect to add it.
        </span>
      )}
    </span>
  );
}

function UsedBy({ flows }: { flows: readonly string[] }) {
  if (flows.length === 0) return <span className="text-xs text-text-2">no flow</span>;
  return (
    <span className="flex flex-wrap gap-x-2 font-mono text-xs">
      {flows.map((id) => (
        <Link key={id} to="/flows/$id" params={{ id }} className="text-accent-strong underline">
          {id}
        </Link>
      ))}
    </span>
  );
}

function TestRow({ result: { ok, about, ms, error } }: { result: ConnectionTest }) {
  return (
    <tr>
      {/* Two columns are always there; spanning hidden ones would take their room from the others. */}
      <td colSpan={2} className="px-3 pb-2.5">
        <p role="status" className={`text-xs wrap-anywhere ${ok ? 'text-ok' : 'text-bad'}`}>
          {ok ? `It works: ${about ?? 'answered'} (${ms} ms)` : `${error?.message ?? 'It failed.'}`}
        </p>
      </td>
      {/* Cells for the columns that wide screens have besides: without them the row ends in the middle. */}
      <td className="max-md:hidden" />
      <td className="max-sm:hidden" />
      <td className="max-lg:hidden" />
    </tr>
  );
}

function useTest(name: string) {
  const [result, setResult] = useState<ConnectionTest>();
  const [busy, setBusy] = useState(false);
  async function attempt(): Promise<void> {
    setBusy(true);
    try {
      setResult(await testConnection(name));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      setResult({ ok: false, ms: 0, error: { code: '', message } });
    }
    setBusy(false);
  }
  return { result, busy, attempt };
}

/** Empty until the kinds are known, so that no other word is shown for a moment. */
function kindTitle(kinds: readonly ConnectionKind[], { kind }: ConnectionInfo): string {
  if (kinds.length === 0) return '';
  return kinds.find((one) => one.kind === kind)?.title ?? kind;
}
