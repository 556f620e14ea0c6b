import { useNavigate } from '@tanstack/react-router';
import { EllipsisVertical, PencilLine, Trash2, Webhook } from 'lucide-react';
import type {
  ConnectionAccount,
  ConnectionInfo,
  ConnectionKind,
  ConnectionTest,
} from '#shared/connection.ts';
import { connectionPlace, type GrantNames, grantWords, rateWords } from '#shared/connection-labels.ts';
import { FlowLink } from '../lists/links.tsx';
import { useGrantNames } from '../session/use-grant-names.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, ListTable } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { TestText, useTest } from './test-connection.tsx';
import { isOfPerson, storedGrant } from './sign-in-draft.ts';

interface ConnectionTableProps {
  connections: readonly ConnectionInfo[];
  kinds: readonly ConnectionKind[];
  /** Called in the handler of the click, in which a window may be opened. */
  onSignIn(connection: ConnectionInfo): void;
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

/** Kinds by which triggers register themselves at services. */
const WITH_WEBHOOKS: ReadonlySet<string> = new Set(['http', 'oauth2']);

export function ConnectionTable({ connections, kinds, onSignIn, onEdit, onDelete }: ConnectionTableProps) {
  const names = useGrantNames();
  return (
    <ListTable columns={COLUMNS}>
      {connections.map((connection) => (
        <ConnectionRow
          key={connection.name}
          connection={connection}
          kind={kindTitle(kinds, connection)}
          onSignIn={() => onSignIn(connection)}
          names={names}
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
  onSignIn(): void;
  names: GrantNames;
  onEdit(): void;
  onDelete(): void;
}

function ConnectionRow({ connection, kind, names, onSignIn, onEdit, onDelete }: ConnectionRowProps) {
  const { name, grants, rate, usedBy, broken } = connection;
  const { result, busy, attempt } = useTest(name);
  const who = grantWords(grants, names);
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
          <UsedBy flows={usedBy} nameOf={names.flow} />
        </td>
        <td className="!py-1.5">
          <span className="flex items-center justify-end gap-1">
            {needsSignIn(connection) ? (
              <Button
                size="sm"
                variant="primary"
                aria-label={`${signInWord(connection)} ${name}`}
                onClick={onSignIn}
              >
                {signInWord(connection)}
              </Button>
            ) : (
              <Button size="sm" busy={busy} aria-label={`Test ${name}`} onClick={() => void attempt()}>
                Test
              </Button>
            )}
            <RowMenu connection={connection} onEdit={onEdit} onDelete={onDelete} />
          </span>
        </td>
      </tr>
      {result && <TestRow result={result} />}
    </tbody>
  );
}

/** Whether flows cannot use it before a person has signed in, which takes a window. */
function needsSignIn(connection: ConnectionInfo): boolean {
  const { account, broken } = connection;
  if (account === undefined || broken !== undefined) return false;
  return isOfPerson(storedGrant(connection)) && (account.state === 'none' || account.state === 'lost');
}

const signInWord = ({ account }: ConnectionInfo): string =>
  account?.state === 'lost' ? 'Reconnect' : 'Connect';

function RowMenu({
  connection,
  onEdit,
  onDelete,
}: Pick<ConnectionRowProps, 'connection' | 'onEdit' | 'onDelete'>) {
  const { name, kind, account } = connection;
  const navigate = useNavigate();
  return (
    <Menu
      trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
      entries={[
        {
          id: 'edit',
          label: account ? 'Change or reconnect…' : 'Change…',
          icon: PencilLine,
          onSelect: onEdit,
        },
        ...(WITH_WEBHOOKS.has(kind)
          ? [
              {
                id: 'webhooks',
                label: 'Webhooks',
                icon: Webhook,
                onSelect: () => void navigate({ to: '/webhooks', search: { connection: name } }),
              },
            ]
          : []),
        { id: 'separator', separator: true },
        { id: 'delete', label: 'Delete…', icon: Trash2, danger: true, onSelect: onDelete },
      ]}
    />
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

/** More are counted. */
const MOST_USERS = 5;

function UsedBy({ flows, nameOf }: { flows: readonly string[]; nameOf(flow: string): string }) {
  if (flows.length === 0) return <span className="text-xs text-text-2">no flow</span>;
  return (
    <ul className="flex flex-col gap-0.5 text-xs pointer-coarse:gap-2">
      {flows.slice(0, MOST_USERS).map((id) => (
        <li key={id}>
          <FlowLink id={id} name={nameOf(id)} />
        </li>
      ))}
      {flows.length > MOST_USERS && (
        <li className="text-text-2">and {countText(flows.length - MOST_USERS, 'other flow')}</li>
      )}
    </ul>
  );
}

function TestRow({ result }: { result: ConnectionTest }) {
  return (
    <tr>
      {/* Two columns are always there; spanning hidden ones would take their room from the others. */}
      <td colSpan={2} className="px-3 pb-2.5">
        <TestText result={result} />
      </td>
      {/* Cells for the columns that wide screens have besides: without them the row ends in the middle. */}
      <td className="max-md:hidden" />
      <td className="max-sm:hidden" />
      <td className="max-lg:hidden" />
    </tr>
  );
}

/** Empty until the kinds are known, so that no other word is shown for a moment. */
function kindTitle(kinds: readonly ConnectionKind[], { kind }: ConnectionInfo): string {
  if (kinds.length === 0) return '';
  return kinds.find((one) => one.kind === kind)?.title ?? kind;
}
