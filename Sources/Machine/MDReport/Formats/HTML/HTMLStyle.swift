/// The style and the script of the HTML report; both are part of the file, so that it needs no network.
enum HTMLStyle {
    /// Colours have a contrast of at least 4.5 in light and dark.
    static let sheet: StaticString = """
        :root{color-scheme:light dark;--back:#fff;--front:#1b1f24;--soft:#57606a;--line:#d0d7de;--panel:#f6f8fa;
        --good:#1a7f37;--warn:#8a5a00;--bad:#b42318;--none:#6e7781;--link:#0757b5;--bar:#0757b5}
        @media (prefers-color-scheme:dark){:root{--back:#0f1419;--front:#e6edf3;--soft:#a5b0bb;--line:#3a434d;
        --panel:#19212a;--good:#4ac26b;--warn:#e3b341;--bad:#ff8a80;--none:#9aa4af;--link:#7ab8ff;--bar:#7ab8ff}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--back);color:var(--front);font:16px/1.5 system-ui,sans-serif;
        overflow-wrap:anywhere}
        main,header,footer{max-width:70rem;margin:0 auto;padding:0 1rem}
        header{padding-top:1.5rem}h1{font-size:1.7rem;line-height:1.25;margin:0 0 .5rem}
        h2{font-size:1.25rem;margin:2rem 0 .5rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
        h3{font-size:1.05rem;margin:1.25rem 0 .25rem}a{color:var(--link)}
        .skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--back);padding:.25rem}
        .verdict{border:1px solid var(--line);border-left:.5rem solid var(--none);background:var(--panel);
        padding:.75rem 1rem;border-radius:.25rem;margin:1rem 0}
        .verdict strong{display:block;font-size:1.3rem}.verdict.good{border-left-color:var(--good)}
        .verdict.warn{border-left-color:var(--warn)}.verdict.bad{border-left-color:var(--bad)}
        dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}
        dl.facts dt{color:var(--soft)}dl.facts dd{margin:0}
        .charts{display:flex;flex-wrap:wrap;gap:1.5rem;align-items:flex-start}
        .charts ul{list-style:none;margin:0;padding:0}.charts li{padding:.1rem 0}
        .dot{print-color-adjust:exact;
        display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin-right:.5rem}
        svg{max-width:100%;height:auto}svg text{fill:var(--front);font:12px system-ui,sans-serif}
        .scroll{overflow-x:auto;margin:.5rem 0}.scroll:focus{outline:2px solid var(--link)}
        table{border-collapse:collapse;width:100%;font-size:.9rem}
        caption{text-align:left;color:var(--soft);padding:.25rem 0}
        th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line);
        min-width:5rem}thead th{border-bottom:2px solid var(--line);white-space:nowrap}
        tbody th{font-weight:600;min-width:9rem}th button{all:unset;cursor:pointer;text-decoration:underline dotted}
        th button:focus-visible{outline:2px solid var(--link)}
        .s1 tr>:nth-child(1),.s2 tr>:nth-child(2),.s3 tr>:nth-child(3),.s4 tr>:nth-child(4),.s5 tr>:nth-child(5),
        .s6 tr>:nth-child(6),.s7 tr>:nth-child(7),.s8 tr>:nth-child(8),.s9 tr>:nth-child(9){white-space:nowrap;min-width:0}
        td:last-child{min-width:9rem}
        details{margin:.5rem 0;content-visibility:auto;contain-intrinsic-size:auto 3rem}
        .parts details{margin:0 0 0 1rem}summary{cursor:pointer;padding:.4rem 0;font-weight:600}
        .filter{padding:.35rem .5rem;border:1px solid var(--soft);border-radius:.25rem;background:var(--back);
        color:var(--front);font:inherit;max-width:100%}
        ul.findings{padding-left:1.2rem}.soft{color:var(--soft)}.sign{display:none}
        footer{margin-top:2rem;padding-bottom:2rem}
        @media (max-width:30rem){dl.facts{grid-template-columns:1fr}dl.facts dd{margin-bottom:.4rem}
        caption{padding-inline-end:calc(max(0px,100% - 100vw + 2rem))}
        th,tbody th,td,td:last-child{min-width:0;padding:.3rem .35rem}td{min-width:4.5rem}
        table[class]:not([class=s1]) td{min-width:9rem}table[class]:not([class=s1]) td:last-child{min-width:16rem}}
        @media print{:root{--back:#fff;--front:#000;--soft:#444;--line:#999;--panel:#fff;--good:#1a7f37;--warn:#8a5a00;
        --bad:#b42318;--none:#6e7781;--link:#000;--bar:#0757b5}body{font-size:10pt}svg{print-color-adjust:exact}main,header,footer{max-width:none;padding:0}
        .skip,.filter{display:none}.scroll{overflow:visible}tr,li,.verdict,svg{break-inside:avoid}
        table{font-size:7.5pt}th,td,tbody th,td:last-child{min-width:0;padding:.15rem .3rem}
        tbody th,th[scope=row]+td{min-width:5rem}
        h2,h3,summary,caption,thead{break-after:avoid}details{content-visibility:visible}
        .parts details{margin:0}
        .s6.s7{font-size:7pt}.s6.s7 tbody th{font-weight:500}.s6.s7 th:nth-child(1){width:15%}.s6.s7 th:nth-child(2){width:14%}
        .s6.s7 th:nth-child(3){width:18%}.s6.s7 th:nth-child(4){width:17%}.s6.s7 th:nth-child(5){width:12%}
        .sign{display:grid;grid-template-columns:1fr 1fr;gap:2rem;margin-top:3rem;break-inside:avoid}
        .sign p{border-top:1px solid #000;padding-top:.25rem;margin:0}.annex{break-before:page}}

        """

    /// Sorts a table by a click on a heading, filters its rows, and unfolds everything for printing.
    ///
    /// Of a table in parts, all parts are filtered, and the first one with a row that is left unfolds.
    static let script: StaticString = """
        const some=(b,w)=>{let n=false;for(const r of b.rows){const m=r.textContent.toLowerCase().includes(w);
        r.hidden=!m;n=n||m}return n};
        const filter=(name,place,act)=>{const f=document.createElement('input');f.type='search';f.className='filter';
        f.placeholder='Filter';f.setAttribute('aria-label','Filter: '+name);f.oninput=()=>act(f.value.toLowerCase());
        place.before(f)};
        for(const t of document.querySelectorAll('table')){const b=t.tBodies[0];if(!b||b.rows.length<2)continue;
        [...t.tHead.rows[0].cells].forEach((h,i)=>{const k=document.createElement('button');k.textContent=h.textContent;
        k.type='button';h.replaceChildren(k);k.onclick=()=>{const up=h.getAttribute('aria-sort')!=='ascending';
        for(const o of t.tHead.rows[0].cells)o.removeAttribute('aria-sort');
        h.setAttribute('aria-sort',up?'ascending':'descending');const c=new Intl.Collator('en',{numeric:true});
        const r=[...b.rows].map(x=>[x.cells[i].textContent,x]);r.sort((x,y)=>c.compare(x[0],y[0])*(up?1:-1));
        b.replaceChildren(...r.map(x=>x[1]))}});
        if(b.rows.length>12&&!t.closest('.parts'))filter(t.caption.textContent,t.parentNode,w=>some(b,w))}
        for(const p of document.querySelectorAll('.parts'))filter(p.dataset.name,p,w=>{let first=!!w;
        for(const d of p.children){const n=some(d.querySelector('tbody'),w);d.hidden=!n;d.open=first&&n;
        if(n)first=false}});
        let shut=[];addEventListener('beforeprint',()=>{shut=[...document.querySelectorAll('details:not([open])')];
        for(const d of shut)d.open=true});addEventListener('afterprint',()=>{for(const d of shut)d.open=false});

        """
}
