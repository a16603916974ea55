/* SPDX-License-Identifier: Apache-2.0 */
/* What the plots look like. It is one module with page.js, which follows. */
const MAX_PLOTS = 64;

/* Contenders look the same over the whole page: ours strong, others quiet, ceilings grey and dashed. */
const LOOKS = {
  light: {OURS: ['#0060ad', '#c4006e', '#00795b', '#6b3fa0', '#8c5a00'], CEILING: ['#8a8a8a', '#b0b0b0', '#6f6f6f'],
    OTHER: ['#d98a4b', '#7d8f9b', '#b3a24c', '#9b7fb8', '#6fa88b', '#c48b9f', '#8a7a66', '#79a7c9']},
  dark: {OURS: ['#4da6ff', '#ff5cae', '#2fc79d', '#b08cf0', '#e0a83e'], CEILING: ['#8f969c', '#6d747a', '#b4babf'],
    OTHER: ['#c98450', '#8798a5', '#a4954b', '#9179ad', '#67997f', '#b57f92', '#94846f', '#6d97b6']}};
const POINTS = {OURS: ['circle', 'rectRot'], OTHER: ['rect', 'triangle', 'crossRot', 'rectRot', 'star'], CEILING: ['line']};
const DASHES = {OURS: [[], [8, 3]], OTHER: [[], [6, 3], [2, 2.5]], CEILING: [[7, 4], [3, 3], [10, 3, 2, 3]]};
const known = {OURS: [], OTHER: [], CEILING: []};
const dark = matchMedia('(prefers-color-scheme: dark)');
function look({name, role}) {
  if (!known[role].includes(name)) known[role].push(name);
  const index = known[role].indexOf(name), colors = LOOKS[dark.matches ? 'dark' : 'light'][role];
  return {color: colors[index % colors.length], width: {OURS: 2.6, OTHER: 1.5, CEILING: 1.4}[role],
    point: POINTS[role][index % POINTS[role].length],
    dash: DASHES[role][Math.floor(index / (role === 'CEILING' ? 1 : colors.length)) % DASHES[role].length]};
}

/* Plots: Chart.js draws them when they come near the window, and again when the colours change. */
const css = property => getComputedStyle(document.documentElement).getPropertyValue(property).trim();
const plots = new Map(), swatches = [];
function draw(canvas) {
  const one = plots.get(canvas);
  Object.assign(Chart.defaults,
    {color: css('--soft'), borderColor: css('--grid'), animation: false, maintainAspectRatio: false});
  Object.assign(Chart.defaults.font, {family: getComputedStyle(document.body).fontFamily, size: 11});
  one.chart?.destroy();
  one.chart = new Chart(canvas, one.config());
}
const near = new IntersectionObserver(entries => entries.filter(one => one.isIntersecting).forEach(({target}) => {
  near.unobserve(target);
  draw(target);
}), {rootMargin: '600px'});
function plot(height, description, config) {
  const canvas = el('canvas', {role: 'img', 'aria-label': description});
  plots.set(canvas, {config});
  near.observe(canvas);
  return el('div.plot', {'--height': height + 'px'}, canvas);
}
function legend(contenders) {
  return el('p.legend', contenders.map(who => {
    const {dash, width, color} = look(who);
    const swatch = el('i' + (dash.length ? '.dashed' : ''), {'--width': width + 'px', '--color': color});
    swatches.push([swatch, who]);
    return el('span.' + who.role, swatch, who.name);
  }));
}
dark.addEventListener('change', () => {
  plots.forEach((one, canvas) => one.chart && draw(canvas));
  swatches.forEach(([swatch, who]) => swatch.style.setProperty('--color', look(who).color));
});
addEventListener('beforeprint', () => {
  document.querySelectorAll('details:not(.raw)').forEach(one => { one.open = true; });
  plots.forEach((one, canvas) => one.chart || draw(canvas));
});
function whisker({ctx, chartArea: {left, top, right, bottom}}, color, [x, y], [toX, toY]) {
  ctx.save();
  Object.assign(ctx, {strokeStyle: color, lineWidth: 1.2, globalAlpha: 0.75});
  ctx.beginPath();
  ctx.rect(left, top - 4, right - left, bottom - top + 8);
  ctx.clip();
  ctx.beginPath();
  for (const [atX, atY] of [[x, y], [toX, toY]]) {
    ctx.moveTo(atX - (x === toX ? 3 : 0), atY - (x === toX ? 0 : 3));
    ctx.lineTo(atX + (x === toX ? 3 : 0), atY + (x === toX ? 0 : 3));
  }
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
  ctx.stroke();
  ctx.restore();
}
/* A bar for each contender, with its figure and its interval. */
function bars(figures, where, description) {
  const cells = figures.contenders.map(who => ({who, ...figures.at(where, who)})).filter(cell => cell.samples);
  const most = Math.max(...cells.map(cell => +cell.median), 0);
  const reach = Math.min(most * 1.4, Math.max(...cells.map(cell => +cell.mean + (+cell.half || 0))));
  const short = text => text.length > 19 ? '\u2026' + text.slice(-18) : text;
  return plot(cells.length * 23 + 32, description, () => ({
    type: 'bar',
    data: {labels: cells.map(cell => short(cell.who.name)), datasets: [{
      data: cells.map(cell => +cell.median), backgroundColor: cells.map(cell => look(cell.who).color),
      borderRadius: 3, barPercentage: 0.88, categoryPercentage: 0.9}]},
    options: {indexAxis: 'y', layout: {padding: {right: 58}},
      scales: {x: {min: 0, suggestedMax: reach, border: {display: false},
          ticks: {maxTicksLimit: 5, maxRotation: 0, callback: value => figure(figures.metric, value, 2)}},
        y: {grid: {display: false},
          ticks: {autoSkip: false, color: cells.map(cell => css(cell.who.role === 'OURS' ? '--ink' : '--soft'))}}},
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: ([item]) => cells[item.dataIndex].who.name,
        label: item => ' ' + figure(figures.metric, item.raw) + error(figures.metric, cells[item.dataIndex])}}}},
    plugins: [{afterDatasetsDraw(chart) {
      const {ctx, scales: {x}} = chart;
      chart.getDatasetMeta(0).data.forEach((bar, i) => {
        const {mean, half, median} = cells[i];
        let end = bar.x;
        if (half > 0) {
          const [low, high] = [mean - half, +mean + +half].map(value => Math.max(x.left, x.getPixelForValue(value)));
          whisker(chart, css('--ink'), [low, bar.y], [high, bar.y]);
          end = Math.max(end, Math.min(high, x.right));
        }
        ctx.save();
        const font = '600 11px ' + Chart.defaults.font.family;
        Object.assign(ctx, {fillStyle: css('--ink'), textBaseline: 'middle', font});
        ctx.fillText(figure(figures.metric, median), end + 6, bar.y + 0.5);
        ctx.restore();
      });
    }}]}));
}
/* Lines of contenders; points may have an interval. */
function lines(series, description, x, metric) {
  const ys = series.flatMap(one => one.points.map(point => point.y)), least = Math.min(...ys), most = Math.max(...ys);
  const log = least > 0 && most / least > 30;
  const highest = Math.max(...series.flatMap(one => one.points.map(point => point.high ?? 0)));
  const high = Math.max(most, Math.min(most * 1.6, highest));
  const lead = value => Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
  const shown = value => !log || lead(value) === 1 || (most / least < 200 && [2, 5].includes(lead(value)));
  return plot(230, description, () => ({
    type: 'line',
    data: {datasets: series.map(({who, points}) => {
      const {color, width, point, dash} = look(who);
      return {label: who.name, data: points, order: {OURS: 0, OTHER: 1, CEILING: 2}[who.role], clip: 6,
        borderColor: color, backgroundColor: color, borderWidth: width, borderDash: dash,
        pointStyle: point, pointRadius: points.length > 12 ? 0 : points.length === 1 ? 5 : 3};
    })},
    options: {interaction: {mode: 'nearest', intersect: false},
      scales: {x: {...x, grid: {display: false}},
        y: {type: log ? 'logarithmic' : 'linear', beginAtZero: !log, suggestedMax: high, border: {display: false},
          title: {display: true, text: label(metric) + (log ? ' (logarithmic)' : '')},
          grid: {color: ({tick}) => css(tick && shown(tick.value) ? '--grid' : '--back')},
          ticks: {maxTicksLimit: log ? 40 : 6, autoSkip: !log,
            callback: value => shown(value) ? figure(metric, value, 2) : ''}}},
      plugins: {legend: {display: false}, tooltip: {callbacks: {
        title: ([item]) => item && x.title.text + ' ' + item.raw.x,
        label: item => ' ' + item.dataset.label + ': ' + figure(metric, item.raw.y) + error(metric, item.raw)}}}},
    plugins: [{beforeDatasetsDraw(chart) {
      chart.getSortedVisibleDatasetMetas().forEach(meta => meta.data.forEach((point, i) => {
        const {low, high: top} = meta._dataset.data[i], {y} = chart.scales;
        if (top > low) {
          const bottom = log && low <= 0 ? y.bottom : y.getPixelForValue(low);
          whisker(chart, meta._dataset.borderColor, [point.x, bottom], [point.x, y.getPixelForValue(top)]);
        }
      }));
    }}]}));
}
function pivotLines(sheet, figures, group, description) {
  const series = figures.contenders.map(who => ({
    who,
    points: figures.pivotValues
      .map(value => [value, figures.at(figures.with(group, value), who)])
      .filter(([, cell]) => cell)
      .map(([value, {median, mean, half}]) => ({x: value, y: +median, half, low: mean - half, high: +mean + +half}))
  })).filter(one => one.points.length);
  const x = {type: 'category', title: {display: true, text: figures.pivot}, labels: figures.pivotValues};
  return lines(series, description, x, figures.metric);
}
function gallery(title, pictures, varying, words, open, before) {
  const [shown, rest] = [pictures.slice(0, MAX_PLOTS), pictures.length - MAX_PLOTS];
  // There is a row of small plots for each value of the condition that changes least often.
  const leading = shown.length > 4 && varying.length > 1 ? varying[0] : null;
  const rows = Map.groupBy(shown, ([where]) => leading && where[leading]);
  const captions = varying.filter(one => one !== leading);
  return shown.length > 0 && el('details', open ? {open: ''} : {}, el('summary', el('b', title)), before,
    [...rows].map(([value, row]) => [
      leading && el('h5', words({[leading]: value}, [leading])),
      el('div.plotgrid', row.map(([where, canvas]) => el('figure', el('figcaption', words(where, captions)), canvas())))]),
    rest > 0 && el('p', rest + ' further plots are left out: see the tables.'));
}
function plotSection(sheet) {
  const galleries = sheet.figures
    .filter(({metric}) => metric.compared && metric.better !== 'NEITHER')
    .map((figures, i) => {
      const along = figures.pivot && figures.pivotValues.every(value => /^\d+$/.test(value));
      const picture = along ? pivotLines.bind(null, sheet) : bars;
      const pictures = (along ? figures.groups : figures.conditions).map(where =>
        [where, () => picture(figures, where, sheet.benchmark + ', ' + figures.title + ': ' + sheet.say(where))]);
      return gallery(figures.title + (along ? ', by ' + figures.pivot : ''), pictures,
        along ? figures.varying : sheet.varying, sheet.say, i === 0 || along, along && legend(figures.contenders));
    });
  return galleries.some(one => one) && [el('h3', 'Plots'), galleries];
}
