import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import type { App } from '#shared/app.ts';
import { listApps, removeApp } from '../api/apps.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { AppTable } from './AppTable.tsx';

/** The chat partners of clients: agents, teams and flows. */
export function AppsScreen() {
  const navigate = useNavigate();
  const apps = useInfiniteQuery({
    queryKey: ['apps'],
    queryFn: ({ pageParam }) => listApps(pageParam),
    initialPageParam: 1,
    getNextPageParam: ({ current_page, total_page }) =>
      current_page < total_page ? current_page + 1 : undefined,
  });
  const [asked, setAsked] = useState<App>();
  const onNew = (): void => void navigate({ to: '/apps/$code', params: { code: 'new' } });
  const total = apps.data?.pages[0]?.total_count;
  return (
    <HomePage
      title="Apps"
      count={total === undefined ? undefined : countText(total, 'app')}
      actions={
        <Button variant="primary" icon={Plus} onClick={onNew}>
          New app
        </Button>
      }
    >
      <Loaded query={apps} what="the apps">
        {({ pages }) => {
          const all = pages.flatMap(({ app_list: list }) => list);
          return all.length > 0 ? <AppTable apps={all} onDelete={setAsked} /> : <NoApps onNew={onNew} />;
        }}
      </Loaded>
      {apps.hasNextPage && (
        <Button className="self-center" busy={apps.isFetching} onClick={() => void apps.fetchNextPage()}>
          More apps
        </Button>
      )}
      {asked && <Deletion app={asked} onClose={() => setAsked(undefined)} />}
    </HomePage>
  );
}

function Deletion({ app: { app_code: code, app_name: name }, onClose }: { app: App; onClose(): void }) {
  const { busy, error, change } = useChange(['apps', 'partners'], onClose);
  return (
    <ConfirmDialog
      title={`Delete the app “${name}”?`}
      description="Its agents are deleted too, and clients that chat with it are refused. Conversations stay."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeApp(code))}
      onClose={onClose}
    />
  );
}

function NoApps({ onNew }: { onNew(): void }) {
  return (
    <EmptyState
      icon={Bot}
      title="No apps yet"
      steps={[
        'Choose who answers: an agent, a team of agents, or a flow.',
        'Write instructions, and add tools: your live flows, knowledge, databases.',
        'Chat with it here, embed its page, or call it by its code.',
      ]}
      action={
        <Button variant="primary" onClick={onNew}>
          Create the first app
        </Button>
      }
    >
      An app answers chats: one agent with instructions and tools, a team of agents that works to a plan, or a
      flow. Clients find it by its code, and your live flows can be its tools.
    </EmptyState>
  );
}
