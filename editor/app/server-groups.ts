import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import {
  ArrowLeft,
  ArrowRight,
  CircleHelp,
  Database,
  FilePlus2,
  History,
  KeyRound,
  type LucideIcon,
  Moon,
  Star,
  Sun,
  Workflow,
} from 'lucide-react';
import { useMemo } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { listConnections, listFlows, listSecrets } from '../api/flows.ts';
import { listRuns } from '../api/runs.ts';
import { helpAddress, screenHelp } from '../model/help-pages.ts';
import { useApp, useAppUi, useServer } from '../session/app-context.tsx';
import { type PaletteEntry, type PaletteGroup, useFlowGroups } from '../session/palette-groups.ts';
import { addressOf, groupsFor } from '../shell/screens.ts';
import { agoText } from '../ui/format.ts';
import { rank } from './PaletteDialog.tsx';

const MOST_RUNS = 100;
const MOST_RECENT = 5;
/** Of a group, on the screen. */
const MOST_SHOWN = 30;

/** Matching entries: the group with the best match first, and within it enabled entries before disabled ones. */
export function found(groups: readonly PaletteGroup[], query: string): PaletteGroup[] {
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
function scoreOf({ value, label, reason }: PaletteEntry, query: string): number {
  const score = rank(value, query);
  if (reason !== undefined) return score - 1;
  const isName = label.replace(/^Add /, '').toLowerCase() === query.trim().toLowerCase();
  return isName ? score + 1 : score;
}

/** Everything by name. With an open flow its commands, nodes and settings come first. */
export function useGroups(): readonly PaletteGroup[] {
  const ofServer = useServerGroups();
  const ofApp = useAppCommands();
  const make = useFlowGroups();
  return useMemo(() => [...(make?.() ?? [ofApp]), ...ofServer], [make, ofApp, ofServer]);
}

/** The commands where no flow is open. */
function useAppCommands(): PaletteGroup {
  const { ui } = useApp();
  const { history } = useRouter();
  return useMemo(() => {
    const theme = (id: 'light' | 'dark', icon: LucideIcon): PaletteEntry => ({
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
        {
          value: 'help documentation docs manual reference',
          icon: CircleHelp,
          label: 'Help on this screen…',
          keys: 'F1',
          act: () =>
            void window.open(helpAddress(screenHelp(history.location.pathname)), '_blank', 'noopener'),
        },
        theme('light', Sun),
        theme('dark', Moon),
      ],
    };
  }, [ui, history]);
}

/** What the server has: flows, screens, runs, secrets and connections. */
function useServerGroups(): readonly PaletteGroup[] {
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const ofFlows = useFlowEntries(flows.data ?? NO_FLOWS);
  const ofScreens = useScreenEntries();
  const ofThings = useThingEntries(flows.data ?? NO_FLOWS);
  return useMemo(() => [...ofFlows, ofScreens, ...ofThings], [ofFlows, ofScreens, ofThings]);
}

const NO_FLOWS: readonly FlowSummary[] = [];

function useFlowEntries(all: readonly FlowSummary[]): readonly PaletteGroup[] {
  const { history } = useRouter();
  const favourites = useAppUi((state) => state.favourites);
  const recent = useAppUi((state) => state.recentFlows);
  return useMemo(() => {
    const named = (prefix: string, flow: FlowSummary, icon: LucideIcon): PaletteEntry => ({
      value: `${prefix} ${flow.id} ${flow.name ?? ''} ${(flow.tags ?? []).join(' ')}`,
      icon,
      label: withoutDirectionMarks(flow.name ?? flow.id),
      hint: flow.id,
      act: () => history.push(`/flows/${flow.id}`),
    });
    const those = (ids: readonly string[]) => ids.flatMap((id) => all.find((flow) => flow.id === id) ?? []);
    return [
      {
        heading: 'Favourites',
        first: true,
        entries: those(favourites).map((flow) => named('favourite', flow, Star)),
      },
      {
        heading: 'Recent flows',
        first: true,
        entries: those(recent)
          .slice(0, MOST_RECENT)
          .map((flow) => named('recent', flow, Workflow)),
      },
      { heading: 'Switch to a flow', entries: all.map((flow) => named('flow', flow, Workflow)) },
    ];
  }, [history, favourites, recent, all]);
}

function useScreenEntries(): PaletteGroup {
  const { history } = useRouter();
  const session = useServer((state) => state.session);
  return useMemo(() => {
    const screens = groupsFor(session).flatMap((group) => group.screens);
    const entries = screens.map((screen) => ({
      value: `go to screen ${screen.label} ${screen.words ?? ''}`,
      icon: screen.icon,
      label: screen.label,
      keys: `G ${screen.letter.toUpperCase()}`,
      act: () => (screen.isPage ? location.assign(screen.to) : history.push(addressOf(screen))),
    }));
    const ways: PaletteEntry[] = [
      { value: 'back previous', icon: ArrowLeft, label: 'Back', act: () => history.back() },
      { value: 'forward next', icon: ArrowRight, label: 'Forward', act: () => history.forward() },
    ];
    return { heading: 'Go to', first: true, entries: [...entries, ...ways] };
  }, [history, session]);
}

function useThingEntries(flows: readonly FlowSummary[]): readonly PaletteGroup[] {
  const { history } = useRouter();
  const runs = useQuery({ queryKey: ['runs', 'found'], queryFn: () => listRuns(undefined, MOST_RUNS) });
  const secrets = useQuery({ queryKey: ['secrets'], queryFn: listSecrets });
  const connections = useQuery({ queryKey: ['connections'], queryFn: listConnections });
  return useMemo(() => {
    const nameOf = (id: string) => flows.find((flow) => flow.id === id)?.name ?? id;
    return [
      {
        heading: 'Runs',
        entries: (runs.data?.runs ?? []).map((run) => ({
          value: `run ${run.run} ${run.flow} ${nameOf(run.flow)} ${run.status}`,
          icon: History,
          label: `${withoutDirectionMarks(nameOf(run.flow))}: ${run.status}, ${agoText(run.startedAt)}`,
          hint: run.run,
          act: () => history.push(`/runs/${encodeURIComponent(run.run)}`),
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
  }, [history, flows, runs.data, secrets.data, connections.data]);
}
