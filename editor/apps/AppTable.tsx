import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Code, EllipsisVertical, MessageSquare, PencilLine, Star, Trash2 } from 'lucide-react';
import type { App } from '#shared/app.ts';
import { collectApp } from '../api/apps.ts';
import { copyText } from '../ui/clipboard.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, listRow, ListTable } from '../ui/ListTable.tsx';
import { Menu } from '../ui/Menu.tsx';
import { toast } from '../ui/toast.ts';
import { modeName } from './modes.ts';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';
import { Moment } from '../ui/Moment.tsx';

interface AppTableProps {
  apps: readonly App[];
  onDelete(app: App): void;
}

const COLUMNS: readonly Column[] = [
  { name: 'Favourite', className: 'w-11', hidden: true },
  { name: 'Name' },
  { name: 'Answered by', className: 'w-40 max-sm:hidden' },
  { name: 'Agents', className: 'w-48 max-lg:hidden' },
  { name: 'Changed', className: 'w-30 max-lg:hidden' },
  { name: 'Actions', className: 'w-22', hidden: true },
];

export function AppTable({ apps, onDelete }: AppTableProps) {
  return (
    <ListTable columns={COLUMNS}>
      <tbody>
        {apps.map((app) => (
          <AppRow key={app.app_code} app={app} onDelete={() => onDelete(app)} />
        ))}
      </tbody>
    </ListTable>
  );
}

function AppRow({ app, onDelete }: { app: App; onDelete(): void }) {
  const { app_code: code, app_name: name, app_describe: description, updated_at: changed } = app;
  const agents = app.details.map(({ agent_name: agent }) => agent).join(', ');
  return (
    <tr className={listRow}>
      <td className="!px-1.5 !py-1.5">
        <Collected app={app} />
      </td>
      <td>
        <Link
          to="/apps/$code"
          params={{ code }}
          translate="no"
          className={cx('font-semibold hover:underline', tapLine)}
        >
          {name}
        </Link>
        <span translate="no" className="block truncate text-xs text-text-2" title={description}>
          {description}
        </span>
      </td>
      <td className="text-text-2 max-sm:hidden">{modeName(app.team_mode)}</td>
      <td translate="no" className="truncate text-text-2 max-lg:hidden" title={agents}>
        {agents}
      </td>
      <td className="text-xs text-text-2 max-lg:hidden">
        <Moment at={changed} />
      </td>
      <td className="!py-1.5">
        <Actions app={app} onDelete={onDelete} />
      </td>
    </tr>
  );
}

function Actions({ app: { app_code: code, app_name: name }, onDelete }: { app: App; onDelete(): void }) {
  const navigate = useNavigate();
  const chat = (): void => void navigate({ to: '/chat', search: { partner: `app:${code}` } });
  const copy = (): void =>
    void copyText(code).then(
      () => toast(`Copied the code ${code}`, { kind: 'success' }),
      () => toast('Copying is not allowed here.', { kind: 'error', detail: code }),
    );
  return (
    <span className="flex justify-end gap-0.5">
      <IconButton icon={MessageSquare} label={`Chat with ${name}`} onClick={chat} />
      <Menu
        trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${name}`} />}
        entries={[
          {
            id: 'edit',
            label: 'Change…',
            icon: PencilLine,
            onSelect: () => void navigate({ to: '/apps/$code', params: { code } }),
          },
          { id: 'copy', label: 'Copy the code', icon: Code, onSelect: copy },
          { id: 'separator', separator: true },
          { id: 'delete', label: 'Delete…', icon: Trash2, danger: true, onSelect: onDelete },
        ]}
      />
    </span>
  );
}

function Collected({ app: { app_code: code, app_name: name, is_collected } }: { app: App }) {
  const queries = useQueryClient();
  const isOn = is_collected === 'true';
  const toggle = async (): Promise<void> => {
    try {
      await collectApp(code, !isOn);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
    } finally {
      await queries.invalidateQueries({ queryKey: ['apps'] });
    }
  };
  return (
    <IconButton
      icon={Star}
      label={`Favourite: ${name}`}
      pressed={isOn}
      onClick={() => void toggle()}
      className={isOn ? '[&>svg]:fill-current' : ''}
    />
  );
}
