import { CanvasMap, NodeTools } from '../canvas/parts.tsx';
import { later, preloadable } from '../ui/preloadable.tsx';

// Parts of the screen that are loaded separately: drawing works without them.
export const Inspector = later(async () => (await import('../inspector/Inspector.tsx')).Inspector);
export const ProblemsPanel = later(async () => (await import('../problems/ProblemsPanel.tsx')).ProblemsPanel);
export const LogPanel = preloadable(async () => (await import('../runs/LogPanel.tsx')).LogPanel);
export const RunsPanel = preloadable(async () => (await import('../runs/RunsPanel.tsx')).RunsPanel);
export const FlowChat = preloadable(async () => (await import('../chat/FlowChat.tsx')).FlowChat);
export const RunForm = preloadable(async () => (await import('../runs/RunForm.tsx')).RunForm);
export const TriggerPanel = preloadable(
  async () => (await import('../triggers/TriggerPanel.tsx')).TriggerPanel,
);
export const LeaveDialog = later(async () => (await import('./LeaveDialog.tsx')).LeaveDialog);
export const Drawer = preloadable(async () => (await import('../ui/Drawer.tsx')).Drawer);
export const RunMenu = later(async () => (await import('./RunMenu.tsx')).RunMenu);
export const TestsPanel = preloadable(async () => (await import('../tests/TestsPanel.tsx')).TestsPanel);
export const VersionsPanel = preloadable(
  async () => (await import('../versions/VersionsPanel.tsx')).VersionsPanel,
);
export const VersionBanner = preloadable(
  async () => (await import('../versions/VersionBanner.tsx')).VersionBanner,
);
export const RunBar = later(async () => (await import('../runs/RunBar.tsx')).RunBar);

/** Prefetches what is visible once a flow is on the canvas. */
export function preloadScreen(): void {
  for (const one of [Inspector, ProblemsPanel, RunBar, NodeTools, RunMenu, LeaveDialog, CanvasMap])
    one.preload();
}
