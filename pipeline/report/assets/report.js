'use strict';
/* Values under the pointer, read back from the plots' own paths, and series switched by their legend. The page is complete without. */
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const tip = document.getElementById('tip');
  const pair = (node, name) => node.dataset[name].split(' ').map(Number);

  /* The places of a line: [[x, y], …] in units of the area. Commands are M (absolute) and l (relative). */
  const places = path => {
    const all = [];
    let x = 0, y = 0;
    for (const [, command, numbers] of path.getAttribute('d').matchAll(/([Ml])([^Ml]*)/g)) {
      const [a, b] = numbers.match(/-?(\d+\.?\d*|\.\d+)/g).map(Number);
      if (command === 'M') { x = a; y = b; } else { x += a; y += b; }
      all.push([x, y]);
    }
    return all;
  };

  const nearest = (all, x) => {
    let low = 0, high = all.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (all[middle][0] < x) low = middle; else high = middle;
    }
    return all.length && Math.abs(all[low][0] - x) <= Math.abs(all[high][0] - x) ? all[low] : all[high];
  };

  /* As many digits as the axis can tell apart. */
  const number = (value, span) => {
    const size = Math.max(Math.abs(value), span);
    if (size >= 1e9) return value.toPrecision(3);
    const decimals = Math.min(6, Math.max(0, Math.ceil(2.5 - Math.log10(span))));
    return value.toFixed(decimals).replace('-', '−');
  };

  const plots = new WeakMap();
  const readPlot = area => {
    if (plots.has(area)) return plots.get(area);
    const [x0, x1] = pair(area, 'x'), [y0, y1] = pair(area, 'y');
    const width = +area.getAttribute('width'), height = +area.getAttribute('height');
    const plot = {
      x: px => x0 + px / width * (x1 - x0),
      y: py => y1 - py / height * (y1 - y0),
      span: y1 - y0, xspan: x1 - x0, width, height, whole: area.dataset.whole === '1',
      lines: [...area.querySelectorAll(':scope > .s > .line')].map(path => ({ group: path.parentNode, places: places(path) })),
      cursor: area.appendChild(document.createElementNS(SVG, 'path')),
    };
    plot.cursor.setAttribute('class', 'cursor');
    plots.set(area, plot);
    return plot;
  };

  const hide = area => {
    tip.hidden = true;
    if (plots.has(area)) plots.get(area).cursor.setAttribute('d', '');
  };

  const show = (area, event) => {
    const plot = readPlot(area);
    const lines = plot.lines.filter(line => line.places.length && !line.group.classList.contains('off'));
    if (!lines.length) return;
    const inverse = area.getScreenCTM().inverse();
    const box = area.ownerSVGElement.getBoundingClientRect();
    let px = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse).x;
    if (!(px >= -8 && px <= plot.width + 8) || !box.width) return hide(area);
    px = nearest(lines[0].places, px)[0];
    plot.cursor.setAttribute('d', `M${px} 0v${plot.height}`);
    const x = plot.x(px);
    tip.replaceChildren(Object.assign(document.createElement('b'), {
      textContent: plot.whole ? Math.round(x).toLocaleString('en') : number(x, plot.xspan) }));
    for (const line of lines) {
      const at = nearest(line.places, px);
      if (Math.abs(at[0] - px) > plot.width / 40) continue;
      const row = document.createElement('div'), name = document.createElement('span'), value = document.createElement('span');
      const swatch = document.createElement('i');
      swatch.style.setProperty('--c', getComputedStyle(line.group).getPropertyValue('--c'));
      name.append(swatch, line.group.dataset.name);
      value.textContent = number(plot.y(at[1]), plot.span);
      row.append(name, value);
      tip.append(row);
    }
    tip.hidden = false;
    const side = event.clientX > innerWidth - tip.offsetWidth - 28 ? -tip.offsetWidth - 14 : 14;
    tip.style.left = Math.max(4, event.clientX + side) + 'px';
    tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 4)) + 'px';
  };

  for (const svg of document.querySelectorAll('svg.plot')) {
    const area = svg.querySelector('.area');
    svg.addEventListener('pointermove', event => show(area, event));
    svg.addEventListener('pointerdown', event => show(area, event));
    svg.addEventListener('pointerleave', () => hide(area));
  }
  addEventListener('scroll', () => { tip.hidden = true; }, { passive: true });

  for (const button of document.querySelectorAll('.legend button')) {
    button.setAttribute('aria-pressed', 'true');
    button.title = 'show or hide; double click: this one alone';
    const groups = () => [...button.closest('figure').querySelectorAll('.area > .s')];
    const buttons = () => [...button.parentNode.querySelectorAll('button')];
    const set = (other, on) => {
      other.setAttribute('aria-pressed', on);
      groups()[other.dataset.series].classList.toggle('off', !on);
    };
    button.addEventListener('click', () => set(button, button.getAttribute('aria-pressed') !== 'true'));
    button.addEventListener('dblclick', () => {
      const alone = buttons().every(other => other === button || other.getAttribute('aria-pressed') === 'false');
      for (const other of buttons()) set(other, alone || other === button);
    });
  }
})();
