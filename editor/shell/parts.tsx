import { preloadable } from '../ui/preloadable.tsx';

/** Parts of the screen that are loaded apart: one can draw without them. */
export const NodePicker = preloadable(async () => (await import('../palette/NodePicker.tsx')).NodePicker);
export const Inspector = preloadable(async () => (await import('../inspector/Inspector.tsx')).Inspector);
export const ProblemsPanel = preloadable(
  async () => (await import('../problems/ProblemsPanel.tsx')).ProblemsPanel,
);
export const LogPanel = preloadable(async () => (await import('../runs/LogPanel.tsx')).LogPanel);
export const RunsPanel = preloadable(async () => (await import('../runs/RunsPanel.tsx')).RunsPanel);
export const RunForm = preloadable(async () => (await import('../runs/RunForm.tsx')).RunForm);
export const TriggerPanel = preloadable(
  async () => (await import('../triggers/TriggerPanel.tsx')).TriggerPanel,
);
export const RunBar = preloadable(async () => (await import('../runs/RunBar.tsx')).RunBar);
export const RunConnection = preloadable(
  async () => (await import('../runs/RunConnection.tsx')).RunConnection,
);

/** Fetches what is seen as soon as a flow is open. */
export function preloadScreen(): void {
  for (const part of [Inspector, ProblemsPanel, NodePicker, RunBar, RunConnection]) part.preload();
}
