import { EllipsisVertical, PencilLine, Trash2 } from 'lucide-react';
import type { SecretInfo } from '#shared/api.ts';
import type { GrantNames } from '#shared/connection-labels.ts';
import { useGrantNames } from '../session/use-grant-names.ts';
import { Badge } from '../ui/Badge.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, listRow, ListTable } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Moment } from '../ui/Moment.tsx';
import { grantWords } from './grants.ts';

interface SecretTableProps {
  secrets: readonly SecretInfo[];
  onEdit(secret: SecretInfo): void;
  onDelete(secret: SecretInfo): void;
}

const COLUMNS: readonly Column[] = [
  { name: 'Name', className: 'w-40 sm:w-60' },
  { name: 'Who may use it' },
  { name: 'Storage', className: 'w-36 max-lg:hidden' },
  { name: 'Changed', className: 'w-30 max-xl:hidden' },
  { name: 'Actions', className: 'w-12', hidden: true },
];

export function SecretTable({ secrets, onEdit, onDelete }: SecretTableProps) {
  const names = useGrantNames();
  return (
    <ListTable columns={COLUMNS}>
      <tbody>
        {secrets.map((secret) => (
          <SecretRow
            key={secret.name}
            secret={secret}
            names={names}
            onEdit={() => onEdit(secret)}
            onDelete={() => onDelete(secret)}
          />
        ))}
      </tbody>
    </ListTable>
  );
}

const OUTSIDE = 'It comes from the environment of the server; remove it there.';

interface SecretRowProps {
  secret: SecretInfo;
  names: GrantNames;
  onEdit(): void;
  onDelete(): void;
}

function SecretRow({ secret, names, onEdit, onDelete }: SecretRowProps) {
  const { name, source, grants, updatedAt } = secret;
  const who = grantWords(grants, names);
  const isOutside = source === 'environment';
  return (
    <tr className={listRow}>
      <td className="truncate font-mono font-semibold" title={name}>
        {name}
      </td>
      <td className="wrap-anywhere">{who ?? <Badge tone="warn">nobody yet</Badge>}</td>
      <td className="text-xs text-text-2 max-lg:hidden">{isOutside ? 'in the environment' : 'encrypted'}</td>
      <td className="text-xs text-text-2 max-xl:hidden">
        <Moment at={updatedAt} />
      </td>
      <td className="!py-1.5">
        <Menu
          trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
          entries={[
            { id: 'edit', label: 'Change…', icon: PencilLine, onSelect: onEdit },
            { id: 'separator', separator: true },
            {
              id: 'delete',
              label: 'Delete…',
              icon: Trash2,
              danger: true,
              disabled: isOutside ? OUTSIDE : undefined,
              onSelect: onDelete,
            },
          ]}
        />
      </td>
    </tr>
  );
}
