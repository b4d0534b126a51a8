// experiment harness
use taut::*;
use taut::dynamics::{Dynamics, Choice};
use taut::kkt::Policy;
use taut_ode::*;

struct Run<'m> { d: Dynamics<'m>, de: f64, e0: f64, phi: f64, phidot: f64, pe: f64, refp: Box<dyn Fn(f64)->[f64;3] + 'm>, tip: Box<dyn Fn(&Dynamics)->[f64;3] + 'm>, nproj: usize, check: bool, nr: usize }
impl System for Run<'_> { fn dimension(&self)->usize{self.d.dimension()} fn rates(&mut self,t:f64,y:&[f64],dy:&mut [f64])->Result<(),Refusal>{ self.d.rates(t,y,dy).map_err(|_|Refusal::NotFinite)} }
impl Events for Run<'_> {}
impl Hook for Run<'_> { fn obstacle(&self)->Option<f64>{ if std::env::var("NOOB").is_ok() {None} else {self.d.obstacle()} }
    fn after_step(&mut self,t:f64,y:&mut [f64])->Result<Edit,Refusal>{ let r=self.d.end_step(t,y); match r { Some(r)=>{ self.nproj+=r.iterations; self.phi=self.phi.max(r.phi); self.phidot=self.phidot.max(r.phidot);
        if self.check { let s=self.d.model.sizes; let (k,p)=self.d.energy(&y[..s.q],&y[s.q..s.q+s.v],&y[s.q+s.v..],t); let e=k+p; if self.e0.is_nan(){self.e0=e} self.de=self.de.max((e-self.e0).abs());
        let a=(self.refp)(t); let b=(self.tip)(&self.d); let err=((a[0]-b[0]).powi(2)+(a[1]-b[1]).powi(2)+(a[2]-b[2]).powi(2)).sqrt(); self.pe=self.pe.max(err); }
        Ok(Edit::Corrected)}, None=>Ok(Edit::Kept)} }
}
pub fn fourbar(n: usize)->Model { let mut s=Spec::new(); s.gravity([0.0,-9.81,0.0]);
    for i in 0..=n { s.marker(&format!("ground.p{i}"),Frame::at([i as f64,0.,0.])); s.body(&format!("r{i}"),PlanarBody::rod(1.,1.).at([i as f64,0.5],std::f64::consts::FRAC_PI_2).moving([0.5,0.],-1.));
        s.marker(&format!("r{i}.a"),Frame::at([-0.5,0.,0.])); s.marker(&format!("r{i}.b"),Frame::at([0.5,0.,0.]));
        s.constraint(&format!("pin{i}"),Joint::pin(&format!("ground.p{i}"),&format!("r{i}.a"))); }
    for i in 0..n { s.body(&format!("c{i}"),PlanarBody::rod(1.,1.).at([i as f64+0.5,1.0],0.).moving([1.,0.],0.)); s.marker(&format!("c{i}.a"),Frame::at([-0.5,0.,0.])); s.marker(&format!("c{i}.b"),Frame::at([0.5,0.,0.]));
        s.constraint(&format!("l{i}"),Joint::pin(&format!("r{i}.b"),&format!("c{i}.a"))); s.constraint(&format!("m{i}"),Joint::pin(&format!("r{}.b",i+1),&format!("c{i}.b"))); }
    s.build().unwrap() }
pub fn bricard()->Model { let p=[[0.,0.,0.],[1.,0.,0.],[1.,-1.,0.],[1.,-1.,1.],[0.,-1.,1.],[0.,0.,1.]]; let ax=[[0.,1.,0.],[0.,0.,1.],[1.,0.,0.],[0.,1.,0.],[0.,0.,1.],[1.,0.,0.]];
    let mut s=Spec::new(); s.gravity([0.,-9.81,0.]);
    for k in 0..5 { let d:[f64;3]=std::array::from_fn(|i| p[k+1][i]-p[k][i]); let j:[f64;3]=std::array::from_fn(|i| if d[i].abs()>0.5 {0.02/12.} else {1.01/12.});
        s.body(&format!("b{k}"),RigidBody::new(1.,j).at(std::array::from_fn(|i|0.5*(p[k][i]+p[k+1][i]))));
        s.marker(&format!("b{k}.a"),Frame::world(p[k]).axis(ax[k])); s.marker(&format!("b{k}.b"),Frame::world(p[k+1]).axis(ax[k+1])); }
    s.marker("ground.a",Frame::world(p[0]).axis(ax[0])); s.marker("ground.b",Frame::world(p[5]).axis(ax[5]));
    s.constraint("h0",Joint::revolute("ground.a","b0.a")); for k in 0..4 { s.constraint(&format!("h{}",k+1),Joint::revolute(&format!("b{k}.b"),&format!("b{}.a",k+1))); }
    s.constraint("h5",Joint::revolute("b4.b","ground.b")); s.build().unwrap() }
pub fn chain(n: usize)->Model { let mut s=Spec::new(); s.gravity([0.,-9.81,0.]);
    for k in 0..n { s.body(&format!("b{k}"),RigidBody::new(1.,[2e-4,1./12.,1./12.]).at([k as f64+0.5,0.,0.])); s.marker(&format!("b{k}.a"),Frame::at([-0.5,0.,0.])); s.marker(&format!("b{k}.b"),Frame::at([0.5,0.,0.])); }
    s.constraint("h0",Joint::revolute("ground","b0.a")); for k in 1..n { s.constraint(&format!("h{k}"),Joint::revolute(&format!("b{}.b",k-1),&format!("b{k}.a"))); } s.build().unwrap() }
fn fb_ref(n: usize)->impl Fn(f64)->[f64;3] { // RK4 fine table with hermite
    let nn=n as f64; let c=9.81*((nn+1.)/2.+nn)/((nn+1.)/3.+nn); let h=1e-4; let m=100_000+10; let mut th=Vec::with_capacity(m+1); let (mut a,mut w)=(std::f64::consts::FRAC_PI_2,-1.0_f64); th.push((a,w));
    for _ in 0..m { let f=|a:f64| -c*a.cos(); let (k1a,k1w)=(w,f(a)); let (k2a,k2w)=(w+0.5*h*k1w,f(a+0.5*h*k1a)); let (k3a,k3w)=(w+0.5*h*k2w,f(a+0.5*h*k2a)); let (k4a,k4w)=(w+h*k3w,f(a+h*k3a)); a+=h/6.*(k1a+2.*k2a+2.*k3a+k4a); w+=h/6.*(k1w+2.*k2w+2.*k3w+k4w); th.push((a,w)); }
    move |t| { let i=((t/h).floor() as usize).min(m-1); let s=(t-i as f64*h)/h; let (a0,w0)=th[i]; let (a1,w1)=th[i+1]; let (s2,s3)=(s*s,s*s*s); let a=a0*(2.*s3-3.*s2+1.)+h*w0*(s3-2.*s2+s)+a1*(-2.*s3+3.*s2)+h*w1*(s3-s2); [a.cos(),a.sin(),0.] } }
fn go(model:&Model, tol:f64, t_end:f64, policy:Policy, refp:Box<dyn Fn(f64)->[f64;3]+'_>, tip:usize, check: bool)->String {
    let d=Dynamics::new(model,&Choice{policy,..Choice::default()});
    let mut d=d; d.expect(tol); let mut y=vec![0.;d.dimension()]; d.pack(&model.initial_state(),&mut y);
    let mut run=Run{d,de:0.,e0:f64::NAN,phi:0.,phidot:0.,pe:0.,refp,tip:Box::new(move|d|{let p=d.scene.motions[tip].p;[p.x,p.y,p.z]}),nproj:0,check,nr:0};
    if check { run.after_step(0.0,&mut y).ok(); }
    let settings=Settings{tolerance:Tolerance::new(tol,tol),..Settings::default()};
    let t0=std::time::Instant::now();
    let mut st=Method::Dop853.stepper(0.,&y,&settings).unwrap();
    let r=integrate(&mut *st,&mut run,&Plan::to(t_end));
    let el=t0.elapsed();
    let r=r.unwrap(); let s=r.statistics;
    format!("tol {tol:.0e} rhs {} acc {} rej {} dE {:.1e} pos {:.1e} phi {:.1e} phid {:.1e} newton {} nr {} {:?} {:.2} ms", s.evaluations, s.accepted, s.rejected, run.de, run.pe, run.phi, run.phidot, run.nproj, run.nr, r.outcome, el.as_secs_f64()*1e3) }
fn main(){ let a:Vec<String>=std::env::args().collect(); let what=a.get(1).map(|s|s.as_str()).unwrap_or("fb");
  match what {
   "fb"=>{ let n:usize=a[2].parse().unwrap(); let m=fourbar(n); let tip=m.marker("r0.b").unwrap(); 
      for shift in a[3].split(',').map(|x|x.parse::<f64>().unwrap()) { for refi in a[4].split(',').map(|x|x.parse::<usize>().unwrap()) { println!("-- N={n} shift {shift:.0e} ref {refi}"); for e in [4,6,7,8,9,10,11,12,13] { let tol=10f64.powi(-e); let p=Policy{shift,refinements:refi,..Policy::default()}; println!("{}",go(&m,tol,10.,p,Box::new(fb_ref(n)),tip,true)); } } } }
   "br"=>{ let m=bricard(); let tip=m.marker("b2.b").unwrap(); for shift in a[2].split(',').map(|x|x.parse::<f64>().unwrap()) { for refi in a[3].split(',').map(|x|x.parse::<usize>().unwrap()) { println!("-- bricard shift {shift:.0e} ref {refi}"); for e in [4,6,7,8,9,10,11,12,13] { let tol=10f64.powi(-e); let p=Policy{shift,refinements:refi,..Policy::default()}; println!("{}",go(&m,tol,10.,p,Box::new(|_|[0.,0.,0.]),tip,true)); } } } }
   "time"=>{ for n in [10,100,1000,10000] { let m=chain(n); eval("chain",&m,n); } for n in [2usize,10,40,100,1000] { let m=fourbar(n); eval("fourbar",&m,2*n+1); } let m=bricard(); eval("bricard",&m,5); 
        let m=fourbar(2); let tip=m.marker("r0.b").unwrap(); for _ in 0..5 { println!("P1 {}",go(&m,1e-7,10.,Policy::default(),Box::new(|_|[0.,0.,0.]),tip,false)); } let m=bricard(); for _ in 0..5 { println!("P4 {}",go(&m,1e-7,10.,Policy::default(),Box::new(|_|[0.,0.,0.]),0,false)); } }
   _=>{} } }
fn eval(name:&str,m:&Model,n:usize){ let mut d=Dynamics::new(m,&Choice::default()); let mut y=vec![0.;d.dimension()]; d.pack(&m.initial_state(),&mut y); let mut dy=vec![0.;y.len()];
   let reps=(200_000/n).max(3); let mut best=f64::MAX; for _ in 0..7 { let t0=std::time::Instant::now(); for _ in 0..reps { d.rates(0.,&y,&mut dy).unwrap(); } best=best.min(t0.elapsed().as_secs_f64()/reps as f64); } println!("{name} n={n} {:.1} ns/body", best*1e9/n as f64); }
