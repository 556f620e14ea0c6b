import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Catalog } from '#shared/catalog.ts';
import { AS_IT_WAS, type Session } from '../commands/command.ts';
import type { Doc } from '../model/document/document.ts';
import type { EditorWorld } from '../model/editor-world.ts';
import { whenLoaded } from '../model/when-loaded.ts';
import { RunConnection } from '../runs/RunConnection.tsx';
import { asRanOf, drawnPast, versionOf } from '../state/drawn.ts';
import { createEditorStore } from '../state/editor-store.ts';
import { useApp } from '../session/app-context.tsx';
import { AsItWas } from '../session/AsItWas.tsx';
import { createSession } from '../session/create-session.ts';
import { EditorBanners } from './EditorBanners.tsx';
import type { OpenFlow } from '../session/open-flow.ts';
import { Overlays } from './Overlays.tsx';
import { FlowGroups, LeaveDialog, VersionBanner } from './parts.tsx';
import { Beside, useNotOpened } from '../session/Part.tsx';
import { SessionProvider, useRuns, useSession } from '../session/session.tsx';
import { TopBar } from './TopBar.tsx';
import { useAutosave, useDraftKeeping, useServerWatch } from '../session/unsaved-edits.ts';
import { useShortcuts } from '../session/use-shortcuts.ts';
import { Workspace } from './Workspace.tsx';
import { watchProblems } from '../problems/watch-problems.ts';
import { useLeaveBlocker } from '../session/use-leave-blocker.ts';
import { afterFirstPicture } from '../ui/first-picture.ts';

interface EditorScreenProps {
  open: OpenFlow;
  catalog: Catalog;
  world: EditorWorld;
}

/** The editor of one flow. The props are read once, except the world, whose changes trigger a new check. */
export function EditorScreen({ open, catalog, world }: EditorScreenProps) {
  const app = useApp();
  const router = useRouter();
  const [session] = useState(() =>
    createSession({ app, open, catalog, world, goTo: (path) => router.history.push(path) }),
  );
  useEffect(() => session.editor.getState().setCatalog(catalog, world), [session, catalog, world]);
  return (
    <SessionProvider session={session}>
      <Screen />
    </SessionProvider>
  );
}

function Screen() {
  const today = useSession();
  const past = usePastSession(today);
  const asRan = useRuns(asRanOf);
  const version = useRuns(versionOf);
  useStatements(today);
  useDraftKeeping();
  useAutosave();
  useLiveProblems();
  useServerWatch();
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <TopBar />
      <EditorBanners />
      <Beside>{version ? <VersionBanner /> : <AsItWas />}</Beside>
      <SessionProvider session={past ?? today}>
        <Shortcuts />
        <Beside>
          <FlowGroups />
        </Beside>
        <Workspace key={past ? (version ? `${version.from} ${version.to}` : asRan?.version) : 'today'} />
        <Overlays />
      </SessionProvider>
      <LeaveGuard />
      {/* Not lazy: a run that starts as soon as the canvas exists must be visible on it. */}
      <RunConnection />
    </div>
  );
}

/** Asks databases to describe the statements once the flow is drawn. */
function useStatements(session: Session): void {
  useEffect(() => {
    let stop: (() => void) | undefined = () => undefined;
    const loading = afterFirstPicture().then(() => import('../session/watch-statements.ts'));
    whenLoaded(loading, ({ watchStatements }) => {
      if (stop) stop = watchStatements(session);
    });
    return () => {
      stop?.();
      stop = undefined;
    };
  }, [session]);
}

function Shortcuts() {
  useShortcuts();
  return null;
}

/** Keeps the list of problems up to date, a moment after each change, so that typing stays fast. The shell calls it once. */
function useLiveProblems(): void {
  const session = useSession();
  useEffect(() => watchProblems(session), [session]);
}

/** Saves before the flow is left, and asks before edits that cannot be saved are left behind. */
function LeaveGuard() {
  const { editor, saver } = useSession();
  const blocker = useLeaveBlocker(() => editor.getState().saveState !== 'saved');
  const [asks, setAsks] = useState(false);
  const notOpened = useNotOpened();
  const { status, proceed, reset } = blocker;
  useEffect(() => {
    setAsks(false);
    if (status !== 'blocked') return;
    void saver.save().then((isSaved) => (isSaved ? proceed() : setAsks(true)));
  }, [status, saver, proceed]);
  if (status !== 'blocked' || !asks) return null;
  const save = async (): Promise<void> => {
    if (await saver.save()) proceed();
    else reset();
  };
  return (
    <Beside
      onFailed={(error) => {
        notOpened(error);
        reset();
      }}
    >
      <LeaveDialog onStay={reset} onLeave={proceed} onSave={() => void save()} />
    </Beside>
  );
}

/** The session of the shown past state of the flow; undefined while the current flow is shown. */
function usePastSession(today: Session): Session | undefined {
  const doc = useStore(today.runs, drawnPast);
  // A conflict is resolved on the current flow, so that one is shown then.
  const isConflict = useStore(today.ui, ({ overlay }) => overlay?.kind === 'conflict');
  const past = useMemo(() => doc && pastSession(today, doc), [today, doc]);
  return isConflict ? undefined : past;
}

/** It has its own selection and view; all changes are refused. */
function pastSession(today: Session, doc: Doc): Session {
  const editor = createEditorStore();
  const { catalog, world } = today.editor.getState();
  editor.getState().setCatalog(catalog, world);
  editor.getState().load(doc, undefined);
  editor.setState({ commit: () => today.actions.toast(AS_IT_WAS) });
  return { ...today, editor, today };
}
