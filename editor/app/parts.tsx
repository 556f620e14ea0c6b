import { CanvasMap, EdgeControls, NodeTools } from '../canvas/parts.tsx';
import { dockPanels } from './dock-panels.tsx';
import { later, preloadable } from '../ui/preloadable.tsx';

// Parts of the screen that are loaded separately: drawing works without them.
export const Inspector = later(async () => (await import('../inspector/Inspector.tsx')).Inspector);
export const NodePicker = later(async () => (await import('../palette/NodePicker.tsx')).NodePicker);
export const NodeView = later(async () => (await import('../inspector/NodeView.tsx')).NodeView);
export const FlowSteps = later(async () => (await import('../steps/FlowSteps.tsx')).FlowSteps);
export const PhoneViews = later(async () => (await import('../steps/PhoneViews.tsx')).PhoneViews);
export const FlowChat = preloadable(async () => (await import('../chat/FlowChat.tsx')).FlowChat);
export const RunForm = preloadable(async () => (await import('../runs/RunForm.tsx')).RunForm);
export const FlowGroups = later(async () => (await import('./FlowGroups.tsx')).FlowGroups);
export const LeaveDialog = later(async () => (await import('./LeaveDialog.tsx')).LeaveDialog);
export const Drawer = preloadable(async () => (await import('../ui/Drawer.tsx')).Drawer);
export const RunMenu = later(async () => (await import('./RunMenu.tsx')).RunMenu);
export const VersionBanner = preloadable(
  async () => (await import('../versions/VersionBanner.tsx')).VersionBanner,
);
export const LiveChip = later(async () => (await import('../versions/LiveChip.tsx')).LiveChip);
export const FirstHints = later(async () => (await import('./FirstHints.tsx')).FirstHints);
export const RunBar = later(async () => (await import('../runs/RunBar.tsx')).RunBar);

/** Prefetches what is visible once a flow is on the canvas. */
export function preloadScreen(): void {
  for (const one of [
    Inspector,
    dockPanels.problems.Content,
    RunBar,
    NodeTools,
    EdgeControls,
    RunMenu,
    LeaveDialog,
    CanvasMap,
    NodeView,
  ])
    one.preload();
}
