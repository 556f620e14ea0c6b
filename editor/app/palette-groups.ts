import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import {
  Box,
  Database,
  FilePlus2,
  History,
  KeyRound,
  type LucideIcon,
  Moon,
  Settings2,
  Star,
  Sun,
  Workflow,
} from 'lucide-react';
import { useMemo } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { listFlows } from '../api/flows.ts';
import { listConnections, listSecrets } from '../api/flows.ts';
import { listRuns } from '../api/runs.ts';
import { availability, type Command, type Session } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { addOperatorCommands } from '../commands/palette.ts';
import { runCommand } from '../commands/shortcuts.ts';
import { revealNodes } from '../commands/view.ts';
import { settingsFields } from '../inspector/node-fields.ts';
import { infoOf } from '../model/document/edit.ts';
import { titleOf } from '../model/document/geometry.ts';
import { schemaFields } from '../model/form/schema-form.ts';
import { useApp, useAppUi, useServer } from '../session/app-context.tsx';
import { addressOf, groupsFor } from '../shell/screens.ts';
import { agoText } from '../ui/format.ts';
import { operatorIcon } from '../ui/operator-icon.ts';
import { rank } from './PaletteDialog.tsx';

const MOST_NODES = 200;
const MOST_RUNS = 100;
/** Of a group, on the screen. */
const MOST_SHOWN = 30;

/** One line of the palette. */
export interface Entry {
  /** The search text; unique among all entries. */
  readonly value: string;
  readonly icon: LucideIcon;
  readonly label: string;
  readonly hint?: string;
  readonly keys?: string | undefined;
  /** Why it cannot be chosen now. */
  readonly reason?: string | undefined;
  act(): void;
}

export interface Group {
  readonly heading: string;
  /** Shown before anything is typed. */
  readonly first?: boolean;
  readonly entries: readonly Entry[];
}

/** Matching entries: the group with the best match first, and within it enabled entries before disabled ones. */
export function found(groups: readonly Group[], query: string): Group[] {
  if (query.trim() === '') return groups.filter(({ first, entries }) => first && entries.length > 0);
  const ranked = groups.map(({ heading, entries }) => {
    const hits = entries
      .map((entry) => ({ entry, score: scoreOf(entry, query) }))
      .filter(({ entry, score }) => score > (entry.reason === undefined ? 0 : -1))
      .sort((a, b) => b.score - a.score);
    const shown = hits.slice(0, MOST_SHOWN);
    return { heading, best: hits[0]?.score ?? 0, entries: shown.map(({ entry }) => entry) };
  });
  return ranked.filter(({ entries }) => entries.length > 0).sort((a, b) => b.best - a.best);
}

/** Enabled entries come first, and among those exact matches. */
function scoreOf({ value, label, reason }: Entry, query: string): number {
  const score = rank(value, query);
  if (reason !== undefined) return score - 1;
  const isName = label.replace(/^Add /, '').toLowerCase() === query.trim().toLowerCase();
  return isName ? score + 1 : score;
}

/** Everything by name. With an open flow its commands, nodes and settings come first. */
export function useGroups(session: Session | undefined): readonly Group[] {
  const ofServer = useServerGroups();
  const ofApp = useAppCommands();
  return useMemo(
    () => [...(session ? sessionGroups(session) : [ofApp]), ...ofServer],
    [session, ofApp, ofServer],
  );
}

/** The commands where no flow is open. */
function useAppCommands(): Group {
  const { ui } = useApp();
  const { history } = useRouter();
  return useMemo(() => {
    const theme = (id: 'light' | 'dark', icon: LucideIcon): Entry => ({
      value: `theme ${id} colours appearance`,
      icon,
      label: `Theme: ${id}`,
      act: () => ui.setState({ theme: id }),
    });
    return {
      heading: 'Commands',
      first: true,
      entries: [
        {
          value: 'new flow create workflow',
          icon: FilePlus2,
          label: 'New flow…',
          act: () => history.push('/?new=true'),
        },
        theme('light', Sun),
        theme('dark', Moon),
      ],
    };
  }, [ui, history]);
}

function sessionGroups(session: Session): readonly Group[] {
  const { catalog } = session.editor.getState();
  const known = commands.filter((command) => !command.hidden && command.id !== 'commands');
  const entriesOf = (of: readonly Command[]) => of.map((command) => commandEntry(command, session));
  return [
    { heading: 'Commands', first: true, entries: entriesOf(known) },
    { heading: 'Add a node', entries: entriesOf(addOperatorCommands(catalog)) },
    { heading: 'Go to a node', entries: nodeEntries(session) },
    { heading: 'Settings', entries: [...settingEntries(session), ...flowSettingEntries(session)] },
  ];
}

function commandEntry(command: Command, session: Session): Entry {
  const enabled = availability(command, session);
  return {
    value: [command.label, command.group, command.id, ...(command.words ?? [])].join(' '),
    icon: command.icon ?? Box,
    label: command.label,
    keys: command.keys?.[0],
    reason: enabled === true ? undefined : enabled,
    act: () => void runCommand(command, session),
  };
}

function nodeEntries(session: Session): Entry[] {
  const { doc, catalog, select } = session.editor.getState();
  return Object.entries(doc.flow.nodes)
    .slice(0, MOST_NODES)
    .map(([id, node]) => ({
      value: `go to node ${id} ${titleOf(node, catalog)}`,
      icon: operatorIcon(infoOf(catalog, node)),
      label: titleOf(node, catalog),
      hint: id,
      act: () => {
        select([id]);
        revealNodes(session, [id]);
      },
    }));
}

/** The settings of all nodes: choosing one opens its field. */
function settingEntries(session: Session): Entry[] {
  const { doc, catalog, select } = session.editor.getState();
  return Object.entries(doc.flow.nodes)
    .slice(0, MOST_NODES)
    .flatMap(([id, node]) => {
      const info = infoOf(catalog, node);
      const title = titleOf(node, catalog);
      return (info ? schemaFields(info.params) : []).map((field) => ({
        value: `setting ${field.title} ${title} ${id}.${field.name}`,
        icon: operatorIcon(info),
        label: field.title,
        hint: title,
        act: () => {
          select([id]);
          revealNodes(session, [id]);
          session.ui.setState({ inspectorOpen: true, focusField: `params.${field.name}` });
        },
      }));
    });
}

function flowSettingEntries(session: Session): Entry[] {
  return settingsFields.map(({ name, title }) => ({
    value: `setting of the flow ${title} ${name}`,
    icon: Settings2,
    label: title,
    hint: 'flow',
    act: () => {
      session.editor.getState().select([]);
      session.ui.setState({ inspectorOpen: true, focusField: `settings.${name}` });
    },
  }));
}

/** What the server has: flows, screens, runs, secrets and connections. */
function useServerGroups(): readonly Group[] {
  const { history } = useRouter();
  const session = useServer((state) => state.session);
  const favourites = useAppUi((state) => state.favourites);
  const recent = useAppUi((state) => state.recentFlows);
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const runs = useQuery({ queryKey: ['runs', 'found'], queryFn: () => listRuns(undefined, MOST_RUNS) });
  const secrets = useQuery({ queryKey: ['secrets'], queryFn: listSecrets });
  const connections = useQuery({ queryKey: ['connections'], queryFn: listConnections });
  return useMemo(() => {
    const all = flows.data ?? [];
    const named = (prefix: string, flow: FlowSummary, icon: LucideIcon): Entry => ({
      value: `${prefix} ${flow.id} ${flow.name ?? ''} ${(flow.tags ?? []).join(' ')}`,
      icon,
      label: withoutDirectionMarks(flow.name ?? flow.id),
      hint: flow.id,
      act: () => history.push(`/flows/${flow.id}`),
    });
    const those = (ids: readonly string[]) => ids.flatMap((id) => all.find((flow) => flow.id === id) ?? []);
    const nameOf = (id: string) => all.find((flow) => flow.id === id)?.name ?? id;
    const back: Entry[] = [
      { value: 'back previous', icon: History, label: 'Back', act: () => history.back() },
      { value: 'forward next', icon: History, label: 'Forward', act: () => history.forward() },
    ];
    return [
      {
        heading: 'Favourites',
        first: true,
        entries: those(favourites).map((f) => named('favourite', f, Star)),
      },
      {
        heading: 'Recent flows',
        first: true,
        entries: those(recent)
          .slice(0, 5)
          .map((f) => named('recent', f, Workflow)),
      },
      { heading: 'Switch to a flow', entries: all.map((flow) => named('flow', flow, Workflow)) },
      {
        heading: 'Go to',
        first: true,
        entries: [
          ...groupsFor(session).flatMap(({ screens }) =>
            screens.map((screen) => ({
              value: `go to screen ${screen.label} ${screen.words ?? ''}`,
              icon: screen.icon,
              label: screen.label,
              keys: `G ${screen.letter.toUpperCase()}`,
              act: () => (screen.isPage ? location.assign(screen.to) : history.push(addressOf(screen))),
            })),
          ),
          ...back,
        ],
      },
      {
        heading: 'Runs',
        entries: (runs.data?.runs ?? []).map((run) => ({
          value: `run ${run.run} ${nameOf(run.flow)} ${run.status}`,
          icon: History,
          label: `${withoutDirectionMarks(nameOf(run.flow))}: ${run.status}, ${agoText(run.startedAt)}`,
          hint: run.run,
          act: () => history.push(`/flows/${encodeURIComponent(run.flow)}?run=${run.run}`),
        })),
      },
      {
        heading: 'Secrets',
        entries: (secrets.data ?? []).map(({ name }) => ({
          value: `secret ${name}`,
          icon: KeyRound,
          label: name,
          act: () => history.push(`/secrets?open=${encodeURIComponent(name)}`),
        })),
      },
      {
        heading: 'Connections',
        entries: (connections.data ?? []).map(({ name, kind }) => ({
          value: `connection ${name} ${kind}`,
          icon: Database,
          label: name,
          hint: kind,
          act: () => history.push(`/connections?open=${encodeURIComponent(name)}`),
        })),
      },
    ];
  }, [history, session, favourites, recent, flows.data, runs.data, secrets.data, connections.data]);
}
