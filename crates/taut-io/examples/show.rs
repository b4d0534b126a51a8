//! Reads a model file and prints it resolved.
fn main() {
    let path = std::env::args().nth(1).unwrap_or_default();
    match taut_io::model::read(std::path::Path::new(&path), &[]) {
        Ok(file) => match file.build() {
            Ok(model) => {
                println!("{}", file.write().unwrap());
                let again = taut_io::model::parse(&file.write().unwrap(), std::path::Path::new("x"), &[]).unwrap();
                assert_eq!(serde_json::to_string(&file.spec).unwrap(), serde_json::to_string(&again.spec).unwrap());
                let s = taut::analyses::simulate(&model, &file.state(&model), &file.transient);
                match s {
                    Ok(s) => println!("{} {:?}", s.outcome, s.statistics),
                    Err(e) => println!("{e}"),
                }
            }
            Err(e) => println!("{e}"),
        },
        Err(all) => all.iter().for_each(|d| println!("{d}\n")),
    }
}
