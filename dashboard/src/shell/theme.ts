/**
 * The theme: Inter, one accent color, bluish grays. Text on tinted backgrounds has more contrast
 * than Mantine's defaults, which do not reach 4.5:1.
 */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#f0f1fe',
  '#e6e7ff',
  '#dadcff',
  '#b8baf8',
  '#9b9ef0',
  '#7b7be6',
  '#5b5bd6',
  '#5151cd',
  '#4643b5',
  '#272962',
];
const gray: MantineColorsTuple = [
  '#f9f9fb',
  '#f0f0f3',
  '#e8e8ec',
  '#e0e1e6',
  '#cdced6',
  '#b9bbc6',
  '#8b8d98',
  '#60646c',
  '#3a3f47',
  '#1c2024',
];
const dark: MantineColorsTuple = [
  '#edeef0',
  '#cdd0d4',
  '#b0b4ba',
  '#8b9098',
  '#363a3f',
  '#2a2d31',
  '#1e2023',
  '#151618',
  '#111113',
  '#0b0b0c',
];

export const theme = createTheme({
  colors: { accent, gray, dark },
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace",
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.375rem' },
      h2: { fontSize: '1.0625rem' },
      h3: { fontSize: '0.9375rem' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Components are named, because importing them would load all of them at once.
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    // A badge must not be truncated. Mantine's letter spacing is uneven at its size.
    Badge: {
      defaultProps: { variant: 'light', tt: 'none', radius: 'sm', fw: 500, lts: 0 },
      styles: { root: { minWidth: 'max-content' } },
    },
    // Fits into the padding: the label stays, see `page.css`.
    Button: { defaultProps: { loaderProps: { size: 12 } } },
    // In the dark theme it would be as light as a field on it.
    Card: { styles: { root: { backgroundColor: 'var(--mantine-color-body)' } } },
    Menu: { defaultProps: { shadow: 'md' } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': 'Close' },
        // Its <header> would be a second banner next to the header of the page.
        attributes: { header: { role: 'presentation' } },
      },
      // The shadow does not show in the dark theme.
      styles: {
        title: { fontWeight: 600 },
        content: { border: '1px solid var(--mantine-color-default-border)' },
      },
    },
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    // A filter that can be cleared has a button for it.
    Select: { defaultProps: { allowDeselect: false } },
    Tooltip: { defaultProps: { withArrow: true } },
  },
});

/** Text colors on the light variant of a color, with a contrast of at least 4.5:1. */
const tintTextColors = {
  light: {
    accent: '#3f3ca8',
    gray: '#3a3f47',
    green: '#14612f',
    blue: '#0b4f9e',
    red: '#a1161b',
    yellow: '#714600',
    orange: '#813f00',
  },
  dark: {
    accent: '#c4c2ff',
    gray: '#d0d3d8',
    green: '#86e0a5',
    blue: '#9ccbff',
    red: '#ffa8a8',
    yellow: '#f5d67b',
    orange: '#ffbe8a',
  },
} as const;

/** Tints of the light theme whose text color is too brown for a background. */
const lightTints = { yellow: '#ffb224', orange: '#f76b15' };

/** The background is the same color, translucent; Mantine's is too strong in the dark theme. */
function tintVariables(
  texts: Readonly<Record<string, string>>,
  tints: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const translucent = (color: string, share: number) =>
    `color-mix(in srgb, ${color} ${share}%, transparent)`;
  return Object.fromEntries(
    Object.entries(texts).flatMap(([color, text]) => [
      [`--mantine-color-${color}-light-color`, text],
      [`--mantine-color-${color}-light`, translucent(tints[color] ?? text, 11)],
      [`--mantine-color-${color}-light-hover`, translucent(tints[color] ?? text, 16)],
    ]),
  );
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...tintVariables(tintTextColors.light, lightTints),
    '--mantine-color-text': '#1c2024',
    '--mantine-color-dimmed': '#5d6169',
    '--mantine-color-placeholder': '#6b6f78',
    '--mantine-color-error': '#b4181d',
    '--mantine-color-anchor': '#4643b5',
    '--mantine-color-default-border': '#e0e1e6',
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
  },
  dark: {
    ...tintVariables(tintTextColors.dark),
    '--mantine-color-dimmed': '#a3a8b0',
    '--mantine-color-placeholder': '#8f949c',
    '--mantine-color-error': '#ff9d9d',
    '--mantine-color-anchor': '#b6b4ff',
    '--mantine-color-default-border': '#2f3237',
    '--mantine-color-disabled': dark[5], // Mantine's is the background of a field.
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
  },
});
