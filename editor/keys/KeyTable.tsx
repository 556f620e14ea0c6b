import { Ban, EllipsisVertical } from 'lucide-react';
import type { KeyInfo } from '#shared/key.ts';
import { Badge } from '../ui/Badge.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, listRow, ListTable } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Moment } from '../ui/Moment.tsx';
import { endWords } from './key-draft.ts';

interface KeyTableProps {
  keys: readonly KeyInfo[];
  onRevoke(key: KeyInfo): void;
}

const COLUMNS: readonly Column[] = [
  { name: 'Name', className: 'w-32 sm:w-60' },
  { name: 'Scopes' },
  { name: 'Expires', className: 'w-30 max-sm:hidden' },
  { name: 'Last used', className: 'w-30 max-lg:hidden' },
  { name: 'Created', className: 'w-30 max-xl:hidden' },
  { name: 'Actions', className: 'w-12', hidden: true },
];

export function KeyTable({ keys, onRevoke }: KeyTableProps) {
  return (
    <ListTable columns={COLUMNS}>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} onRevoke={() => onRevoke(key)} />
        ))}
      </tbody>
    </ListTable>
  );
}

const OUTSIDE = 'It comes from WEFT_API_KEYS; remove it there.';

function KeyRow({ apiKey, onRevoke }: { apiKey: KeyInfo; onRevoke(): void }) {
  const { name, scopes, perMinute, source, lastUsedAt, createdAt } = apiKey;
  const isOutside = source === 'environment';
  return (
    <tr className={listRow}>
      <td translate="no" className="truncate font-semibold" title={name}>
        {name}
      </td>
      <td>
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope} tone={scope === 'admin' ? 'warn' : 'neutral'}>
              <span translate="no">{scope}</span>
            </Badge>
          ))}
          {perMinute !== undefined && <Badge tone="neutral">{`${perMinute} a minute`}</Badge>}
        </span>
      </td>
      <td className="text-xs text-text-2 max-sm:hidden">
        <End apiKey={apiKey} />
      </td>
      <td className="text-xs text-text-2 max-lg:hidden">
        <Moment at={lastUsedAt} otherwise="never" />
      </td>
      <td className="text-xs text-text-2 max-xl:hidden">
        <Moment at={createdAt} otherwise="outside" />
      </td>
      <td className="!py-1.5">
        <Menu
          trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
          entries={[
            {
              id: 'revoke',
              label: 'Revoke…',
              icon: Ban,
              danger: true,
              disabled: isOutside ? OUTSIDE : undefined,
              onSelect: onRevoke,
            },
          ]}
        />
      </td>
    </tr>
  );
}

function End({ apiKey }: { apiKey: KeyInfo }) {
  const words = endWords(apiKey, Date.now());
  if (words === undefined) return 'never';
  if (words === 'expired') return <Badge tone="bad">expired</Badge>;
  return (
    <time dateTime={apiKey.expiresAt} title={new Date(apiKey.expiresAt ?? '').toLocaleString()}>
      {words}
    </time>
  );
}
