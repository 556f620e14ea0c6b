import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import type { App } from '#shared/app.ts';
import { appWarnings } from '#shared/app-warnings.ts';
import { createApp, saveApp } from '../api/apps.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Button } from '../ui/Button.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { toast } from '../ui/toast.ts';
import { Agents } from './Agents.tsx';
import { AppFields } from './AppFields.tsx';
import { AppTrial } from './AppTrial.tsx';
import { type AppDraft, bodyOf, draftOf, faultOf, NEW_APP } from './app-draft.ts';
import { PublicPageSection } from './PublicPageForm.tsx';
import { useLeaveBlocker } from '../session/use-leave-blocker.ts';
import { Dialog } from '../ui/Dialog.tsx';

const FORM = 'app-form';

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** Creates an app, or changes `app`. */
export function AppForm({ app }: { app: App | undefined }) {
  const [first] = useState(() => (app ? draftOf(app) : NEW_APP));
  const [draft, setDraft] = useState<AppDraft>(first);
  const [isTried, setTried] = useState(false);
  const { busy, isSaved, failure, save } = useSaving(app, draft);
  const fault = faultOf(draft);
  const patch = (more: Partial<AppDraft>): void => setDraft({ ...draft, ...more });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === undefined && !busy) void save();
  };
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <HomePage
          title={app ? app.app_name : 'New app'}
          actions={
            <>
              {fault !== undefined && draft !== first && <span className="text-xs text-text-2">{fault}</span>}
              {app && (
                <Button icon={MessagesSquare} aria-expanded={isTried} onClick={() => setTried(!isTried)}>
                  Try it
                </Button>
              )}
              <Button
                variant="primary"
                type="submit"
                form={FORM}
                busy={busy}
                disabled={fault !== undefined || draft === first}
              >
                Save
              </Button>
            </>
          }
        >
          {failure && <ErrorNote {...failure} />}
          <form id={FORM} onSubmit={submit} className="grid items-start gap-4 lg:grid-cols-[22rem_1fr]">
            <AppFields draft={draft} onChange={patch} />
            {draft.mode !== 'awel_layout' && (
              <Agents mode={draft.mode} agents={draft.agents} onChange={(agents) => patch({ agents })} />
            )}
          </form>
          {app && <PublicPageSection code={app.app_code} name={app.app_name} />}
          <LeaveDialog isUnsaved={() => draft !== first && !isSaved()} />
        </HomePage>
      </div>
      {app && isTried && (
        <AppTrial code={app.app_code} isChanged={draft !== first} onClose={() => setTried(false)} />
      )}
    </div>
  );
}

function useSaving(app: App | undefined, draft: AppDraft) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  // Not React state: it must take effect at once, since leaving follows.
  const saved = useRef(false);

  async function save(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      const body = bodyOf(draft, app);
      const kept = await (app ? saveApp(app.app_code, body) : createApp(body));
      for (const key of ['apps', 'partners']) await queries.invalidateQueries({ queryKey: [key] });
      saved.current = true;
      toast(`Saved “${kept.app_name}”`, { kind: 'success' });
      for (const warning of appWarnings(kept)) toast(warning, { kind: 'info' });
      await navigate({ to: '/apps' });
    } catch (error) {
      const { code = 'internal', message } = error as Error & { code?: string };
      setFailure({ code, message });
      setBusy(false);
    }
  }
  return { busy, isSaved: () => saved.current, failure, save };
}

/** Asks before entered data is lost. */
function LeaveDialog({ isUnsaved }: { isUnsaved(): boolean }) {
  const blocker = useLeaveBlocker(isUnsaved);
  if (blocker.status !== 'blocked') return null;
  const { proceed, reset } = blocker;
  return (
    <Dialog
      open
      onOpenChange={reset}
      size="sm"
      title="Leave without saving?"
      description="Your changes to this app will be lost."
      footer={
        <>
          <Button variant="primary" onClick={reset}>
            Stay
          </Button>
          <Button variant="danger" onClick={proceed}>
            Leave
          </Button>
        </>
      }
    />
  );
}
