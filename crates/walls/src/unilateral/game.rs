//! Matrix games: the mixed strategy with the largest gain against the worst reply.

/// Most pivots; the strategy is valid after any number.
const MOST_PIVOTS: u32 = 2000;

/// The weights h ≥ 0, Σh = 1, of the columns of `payoff` (rows of equal length) that maximize the smallest
/// entry of payoff·h, and that entry; `None` without an entry.
///
/// Simplex method on the dual programme max Σy, Bᵀy ≤ 1, y ≥ 0, B the payoffs shifted to be
/// positive.
#[must_use]
pub fn best(payoff: &[Vec<f64>]) -> Option<(Vec<f64>, f64)> {
    let (rows, columns) = (payoff.len(), payoff.first()?.len());
    if columns == 0 {
        return None;
    }
    let least = payoff.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let shift = 1.0 - least;
    // One row per column: coefficients of y, slacks, right side; the objective is last.
    let width = rows + columns + 1;
    let mut tableau: Vec<Vec<f64>> = (0..columns)
        .map(|c| {
            let mut line = vec![0.0; width];
            for (entry, row) in line.iter_mut().zip(payoff) {
                *entry = row[c] + shift;
            }
            line[rows + c] = 1.0;
            line[width - 1] = 1.0;
            line
        })
        .collect();
    let mut objective = vec![0.0; width];
    objective[..rows].fill(-1.0);
    tableau.push(objective);
    for _ in 0..MOST_PIVOTS {
        let last = &tableau[columns];
        let Some(enter) = (0..width - 1)
            .filter(|j| last[*j] < -1e-11)
            .min_by(|a, b| last[*a].total_cmp(&last[*b]))
        else {
            break;
        };
        let ratio = |i: &usize| tableau[*i][width - 1] / tableau[*i][enter];
        let Some(leave) = (0..columns)
            .filter(|i| tableau[*i][enter] > 1e-11)
            .min_by(|a, b| ratio(a).total_cmp(&ratio(b)))
        else {
            break;
        };
        let pivot = tableau[leave][enter];
        let line: Vec<f64> = tableau[leave].iter().map(|x| x / pivot).collect();
        for (i, other) in tableau.iter_mut().enumerate() {
            let share = other[enter];
            if i == leave {
                other.clone_from(&line);
            } else if share != 0.0 {
                for (x, l) in other.iter_mut().zip(&line) {
                    *x -= share * l;
                }
            }
        }
    }
    let weights: Vec<f64> = tableau[columns][rows..width - 1].iter().map(|p| p.max(0.0)).collect();
    let sum: f64 = weights.iter().sum();
    if sum <= 0.0 {
        return None;
    }
    let weights: Vec<f64> = weights.iter().map(|p| p / sum).collect();
    let value = payoff
        .iter()
        .map(|row| row.iter().zip(&weights).map(|(a, h)| a * h).sum::<f64>())
        .fold(f64::INFINITY, f64::min);
    Some((weights, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_games_have_their_known_values() {
        let (h, value) = best(&[vec![1.0, -1.0], vec![-1.0, 1.0]]).unwrap();
        assert!((h[0] - 0.5).abs() < 1e-12 && value.abs() < 1e-12);
        let (h, value) = best(&[vec![3.0, 0.0], vec![1.0, 2.0]]).unwrap();
        assert!((value - 1.5).abs() < 1e-12 && (h[0] - 0.5).abs() < 1e-12, "{h:?} {value}");
        let (h, value) = best(&[vec![2.0, 5.0, -9.0], vec![3.0, 4.0, -9.0]]).unwrap();
        assert!((value - 4.0).abs() < 1e-12 && (h[1] - 1.0).abs() < 1e-12);
        assert!(best(&[]).is_none() && best(&[vec![]]).is_none());
    }
}
