/** Small line icons on a grid of 16, drawn in the colour of the text. */

const PATHS: Record<string, string> = {
  play: 'M4.5 2.5v11l9-5.5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  start: 'M3 3h1.6v10H3zM13 3v10L5.6 8z',
  end: 'M11.4 3H13v10h-1.6zM3 3v10l7.4-5z',
  back: 'M11.5 3v10L5 8z',
  forward: 'M4.5 3v10L11 8z',
  eventBack: 'M8.5 3.5v9L2.5 8zM11 2.5h1.7v11H11z',
  eventForward: 'M7.5 3.5v9l6-4.5zM3.3 2.5H5v11H3.3z',
  loop: 'M4 4.2h6.5V2l3.5 3-3.5 3V5.8H5.6v3H4zM12 11.8H5.5V14L2 11l3.5-3v2.2h4.9v-3H12z',
  theme: 'M8 2a6 6 0 1 0 0 12zM8 3.4a4.6 4.6 0 0 1 0 9.2z',
  large:
    'M2 12.5 5.6 3h1.7L11 12.5H9.3l-.9-2.6H4.5l-.9 2.6zM5 8.4h2.9L6.45 4.3zM12.5 5.5h1.2v2h2v1.2h-2v2h-1.2v-2h-2V7.500h2z',
  help: 'M7.300 10h1.500v1.600H7.300zM8.100 3.900c-1.700 0-2.800 1-2.900 2.500h1.500c.1-.8.600-1.200 1.400-1.200.8 0 1.300.5 1.300 1.100 0 .7-.4 1-1 1.400-.8.5-1.100 1-1.100 1.900h1.400c0-.6.300-.8.900-1.200.8-.5 1.300-1.100 1.300-2.100 0-1.400-1.100-2.400-2.800-2.400z',
  close:
    'M4.100 3 8 6.900 11.900 3 13 4.100 9.100 8l3.900 3.900-1.100 1.100L8 9.100 4.100 13 3 11.900 6.900 8 3 4.100z',
  camera: 'M6 3.500h4l.8 1.500H14v8H2V5h3.200zM8 6.300a2.600 2.600 0 1 0 0 5.200 2.600 2.600 0 0 0 0-5.200z',
  plus: 'M7.200 3h1.600v4.200H13v1.600H8.800V13H7.200V8.800H3V7.200h4.200z',
};

export function icon(name: keyof typeof PATHS | string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[name] ?? '');
  path.setAttribute('fill', 'currentColor');
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

/** A button with an icon and a tooltip. */
export function iconButton(name: string, title: string, press: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'iconic';
  made.title = title;
  made.setAttribute('aria-label', title);
  made.append(icon(name));
  made.addEventListener('click', press);
  return made;
}
