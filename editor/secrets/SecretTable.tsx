import { EllipsisVertical, PencilLine, Trash2 } from 'lucide-react';
import type { SecretInfo } from '#shared/api.ts';
import { Badge } from '../ui/Badge.tsx';
import { agoText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { grantWords } from './grants.ts';

interface SecretTableProps {
  secrets: readonly SecretInfo[];
  onEdit(secret: SecretInfo): void;
  onDelete(secret: SecretInfo): void;
}

export function SecretTable({ secrets, onEdit, onDelete }: SecretTableProps) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <table className="w-full table-fixed">
        <thead className={sectionTitle}>
          <tr className="border-b border-line text-left [&>th]:px-3 [&>th]:py-2 [&>th]:font-semibold">
            <th scope="col" className="w-60">
              Name
            </th>
            <th scope="col">Who may use it</th>
            <th scope="col" className="w-36 max-lg:hidden">
              Kept
            </th>
            <th scope="col" className="w-30 max-xl:hidden">
              Changed
            </th>
            <th scope="col" className="w-12">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {secrets.map((secret) => (
            <SecretRow
              key={secret.name}
              secret={secret}
              onEdit={() => onEdit(secret)}
              onDelete={() => onDelete(secret)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const OUTSIDE = 'It comes from the environment of the server; remove it there.';

function SecretRow({ secret, onEdit, onDelete }: { secret: SecretInfo; onEdit(): void; onDelete(): void }) {
  const { name, source, grants, updatedAt } = secret;
  const who = grantWords(grants);
  const isOutside = source === 'environment';
  return (
    <tr className="border-b border-line align-top last:border-0 hover:bg-surface-2 [&>td]:px-3 [&>td]:py-2.5">
      <td className="truncate font-mono font-semibold" title={name}>
        {name}
      </td>
      <td className="wrap-anywhere">{who ?? <Badge tone="warn">nobody yet</Badge>}</td>
      <td className="text-xs text-text-2 max-lg:hidden">{isOutside ? 'in the environment' : 'encrypted'}</td>
      <td className="text-xs text-text-2 max-xl:hidden">
        {updatedAt && (
          <time dateTime={updatedAt} title={new Date(updatedAt).toLocaleString()}>
            {agoText(updatedAt)}
          </time>
        )}
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
